/**
 * What a POST to the Streamable HTTP endpoint turned out to be. The endpoint serves both eras and
 * decides per request; classify.ts makes these values. Bound by docs/protocol.md, Status codes of
 * POST /mcp.
 */

import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from '../jsonrpc/message.ts'
import type { Intent, Notice } from './intent.ts'
import type { Revision } from './revision.ts'

/** Input of the classifier. `header` takes a lower-case name and joins duplicates with ", ". */
export type PostedMessage = {
  readonly body: Uint8Array | string
  header(name: string): string | undefined
  /** Lower-case names of all headers; used only for calls of revisions that mirror parameters. */
  headerNames(): Iterable<string>
}

/** One message to work on. */
export type Work = {
  readonly kind: 'request'
  readonly revision: Revision
  readonly id: IdText
  readonly method: string
  readonly intent: Intent
  /**
   * `Mcp-Param-*` of a tools/call by lower-case name without the prefix, values as sent. Undefined
   * for revisions that do not mirror parameters.
   */
  readonly paramHeaders?: ReadonlyMap<string, string> | undefined
}

/** An immediate error reply. `id` is null when it could not be read. */
export type ClassifiedRefusal = {
  readonly kind: 'refused'
  readonly status: number
  readonly id: IdText | null
  readonly error: RpcError
}

export type Single =
  | Work
  | ClassifiedRefusal
  /** Answered 202 without a body. */
  | { readonly kind: 'notification'; readonly revision: Revision; readonly notice: Notice }
  /** A legacy client's answer to a request from us. Answered 202. `error` is its JSON-RPC error. */
  | {
      readonly kind: 'response'
      readonly id: IdText
      readonly answer: { readonly result: Json } | { readonly error: RpcError }
    }

export type Classification =
  | Single
  | { readonly kind: 'batch'; readonly revision: Revision; readonly items: readonly Single[] }
