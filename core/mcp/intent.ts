/**
 * What a request or a notification of an agent asks for, whatever revision it speaks. One folder
 * per revision turns wire messages into these and results back into its own shapes.
 */
import type { JsonObject } from '../json/json.ts'
import type { IdText } from '../jsonrpc/message.ts'

export type Intent =
  | { readonly kind: 'initialize' }
  | { readonly kind: 'ping' }
  /** `cursor` is as the agent sent it: opaque here. */
  | { readonly kind: 'list-tools'; readonly cursor: string | undefined }
  | { readonly kind: 'call-tool'; readonly name: string; readonly arguments: JsonObject }

export type Notice =
  /** `requestId` is JSON text exactly as posted, to be compared with pending ids. */
  | { readonly kind: 'cancel'; readonly requestId: IdText }
  /** Nothing to do: `notifications/initialized`, unknown ones, malformed ones. Never answered. */
  | { readonly kind: 'other' }
