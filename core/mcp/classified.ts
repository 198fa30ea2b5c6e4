/**
 * Types for the result of classifying a POST to the Streamable HTTP endpoint (classify.ts). The
 * endpoint serves both eras and decides for each request. Bound by docs/protocol.md, Status codes
 * of POST /mcp.
 */
import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from '../jsonrpc/message.ts'
import type { Intent, Notice } from './intent.ts'
import type { Revision } from './revision.ts'

/**
 * Input of the classifier. `header` accepts a lower-case name and joins repeated headers by ", ".
 */
export type PostedMessage = {
  readonly body: Uint8Array | string
  header(name: string): string | undefined
  /** Lower-case names of all headers, for calls of revisions with mirrored parameters. */
  headerNames(): Iterable<string>
}

/** One request to serve. */
export type Work = {
  readonly kind: 'request'
  readonly revision: Revision
  readonly id: IdText
  readonly method: string
  readonly intent: Intent
  /**
   * `Mcp-Param-*` headers of a tools/call, by lower-case name without the prefix, unchanged.
   * Undefined for revisions without mirrored parameters.
   */
  readonly paramHeaders?: ReadonlyMap<string, string> | undefined
}

/** An immediate error reply. `id` is null if it was not readable. */
export type ClassifiedRefusal = {
  readonly kind: 'refused'
  readonly status: number
  readonly id: IdText | null
  readonly error: RpcError
}

export type Single =
  | Work
  | ClassifiedRefusal
  /** Answered by 202 without a body. */
  | { readonly kind: 'notification'; readonly revision: Revision; readonly notice: Notice }
  /** A legacy client's answer to a request of the gateway. Answered by 202. */
  | {
      readonly kind: 'response'
      readonly id: IdText
      readonly answer: { readonly result: Json } | { readonly error: RpcError }
    }

export type Classification =
  | Single
  | { readonly kind: 'batch'; readonly revision: Revision; readonly items: readonly Single[] }
