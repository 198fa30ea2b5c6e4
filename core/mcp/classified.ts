/**
 * What a request to the endpoint of Streamable HTTP is, once the bytes are read: one endpoint
 * serves both eras and decides per request. Made by classify.ts; bound by docs/protocol.md, Status
 * codes of POST /mcp.
 */

import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from '../jsonrpc/message.ts'
import type { Intent, Notice } from './intent.ts'
import type { Revision } from './revision.ts'

/** What the classifier looks at. `header` finds by lower-case name; duplicates come joined by ", ". */
export type PostedMessage = {
  readonly body: Uint8Array | string
  header(name: string): string | undefined
  /** Lower-case names of all headers; asked only for a call of a revision that mirrors parameters. */
  headerNames(): Iterable<string>
}

/** One message that is to be worked on. */
export type Work = {
  readonly kind: 'request'
  readonly revision: Revision
  readonly id: IdText
  readonly method: string
  readonly intent: Intent
  /**
   * `Mcp-Param-*` of a tools/call, names in lower case without the prefix, values as sent. Undefined
   * where the revision does not mirror parameters.
   */
  readonly paramHeaders?: ReadonlyMap<string, string> | undefined
}

/** Answered in place, without work. `id` null: could not be read. */
export type ClassifiedRefusal = {
  readonly kind: 'refused'
  readonly status: number
  readonly id: IdText | null
  readonly error: RpcError
}

export type Single =
  | Work
  | ClassifiedRefusal
  /** 202, no body. */
  | { readonly kind: 'notification'; readonly revision: Revision; readonly notice: Notice }
  /** A legacy client's answer to a request of ours. 202. `error` is for `-32601` and the like. */
  | {
      readonly kind: 'response'
      readonly id: IdText
      readonly answer: { readonly result: Json } | { readonly error: RpcError }
    }

export type Classification =
  | Single
  | { readonly kind: 'batch'; readonly revision: Revision; readonly items: readonly Single[] }
