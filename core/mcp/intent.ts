/**
 * What a request or a notification of an agent asks for, whatever revision it speaks. One folder
 * per revision turns wire messages into these and results back into its own shapes.
 */
import type { FieldFault } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { IdText } from '../jsonrpc/message.ts'

/** JSON text of a progress token, as posted: `0`, `"a"`. 0 is a token. */
export type ProgressToken = string

export type LogLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency'

export type CallToolIntent = {
  readonly kind: 'call-tool'
  readonly name: string
  readonly arguments: JsonObject
  /** Numbers in the arguments that are not what was posted; undefined: none. */
  readonly changedNumbers?: readonly FieldFault[]
  /** Undefined: no progress is wanted, or the revision has none. */
  readonly progressToken?: ProgressToken | undefined
  /** Undefined: no `notifications/message` may be sent. */
  readonly logLevel?: LogLevel | undefined
  /** What the client can be asked (`elicitation`, `sampling`, `roots`); undefined: not told (legacy eras). */
  readonly capabilities?: JsonObject | undefined
  /** The client's answers to an `input_required` of the call before (2026-07-28, MRTR). */
  readonly input?: CallInput | undefined
}

export type CallInput = {
  /** By the key of the request that each answers; every value is an object. */
  readonly responses: JsonObject
  /** Opaque, as the client echoed it. */
  readonly state: string | undefined
}

export type Intent =
  /** `version` is what the client offers; undefined where it named none. */
  | { readonly kind: 'initialize'; readonly version?: string | undefined }
  | { readonly kind: 'ping' }
  | { readonly kind: 'discover' }
  /** `cursor` is as the agent sent it: opaque here. */
  | { readonly kind: 'list-tools'; readonly cursor: string | undefined }
  | CallToolIntent
  /** `subscriptions/listen`; what else the client asked to hear is dropped here. */
  | { readonly kind: 'listen'; readonly toolsListChanged: boolean }

export type Notice =
  /** `requestId` is JSON text exactly as posted, to be compared with pending ids. */
  | { readonly kind: 'cancel'; readonly requestId: IdText }
  /** Nothing to do: `notifications/initialized`, unknown ones, malformed ones. Never answered. */
  | { readonly kind: 'other' }
