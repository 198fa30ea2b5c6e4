/**
 * What an agent's request or notification asks for, independent of the revision. One folder per
 * revision turns wire messages into these values, and results back into its own shapes.
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
  /** Numbers in the arguments that differ from the posted text; undefined when there are none. */
  readonly changedNumbers?: readonly FieldFault[]
  /** Undefined when no progress is wanted, or the revision has none. */
  readonly progressToken?: ProgressToken | undefined
  /** Undefined when no `notifications/message` may be sent. */
  readonly logLevel?: LogLevel | undefined
  /**
   * What the client can be asked (`elicitation`, `sampling`, `roots`); undefined in legacy eras.
   */
  readonly capabilities?: JsonObject | undefined
  /** The client declared that it takes a task for its answer (2026-07-28). */
  readonly takesTask?: boolean
  /** `name/version` that a modern client sends with each request. */
  readonly client?: string | undefined
  /** The client's answers to the previous round's `input_required` (2026-07-28, MRTR). */
  readonly input?: CallInput | undefined
}

export type CallInput = {
  /** By the key of the request that each one answers; every value is an object. */
  readonly responses: JsonObject
  /** Opaque; the client echoes it. */
  readonly state: string | undefined
}

/** `tasks/get`, `tasks/update` and `tasks/cancel` of a task that a call has become. */
export type TaskIntent = {
  readonly kind: 'task'
  readonly action: 'get' | 'update' | 'cancel'
  readonly taskId: string
  /** The request declared the extension. */
  readonly declared: boolean
}

export type Intent =
  /** `version` is the one that the client offers; undefined when it named none. */
  | { readonly kind: 'initialize'; readonly version?: string | undefined }
  | { readonly kind: 'ping' }
  | { readonly kind: 'discover' }
  /** `cursor` is the agent's, not decoded here. */
  | { readonly kind: 'list-tools'; readonly cursor: string | undefined }
  | CallToolIntent
  | TaskIntent
  /** `subscriptions/listen`; other notifications that the client asks for are not served. */
  | { readonly kind: 'listen'; readonly toolsListChanged: boolean }

export type Notice =
  /** `requestId` is JSON text exactly as posted, for comparison with pending ids. */
  | { readonly kind: 'cancel'; readonly requestId: IdText }
  /** No effect: `notifications/initialized`, unknown and malformed ones. Never answered. */
  | { readonly kind: 'other' }
