/**
 * One POST of Streamable HTTP as the flows see it, and the replies that a request in it may get.
 */
import type { Refusal } from '../../errors.ts'
import type { OpenScope } from '../access/call-scope.ts'
import type { StoreWait } from '../access/store-wait.ts'
import type { Channel } from './call-progress.ts'

export type PostedRequest = {
  readonly authorization: string | undefined
  /** The User-Agent header; a modern client names itself in the request instead. */
  readonly client?: string | undefined
  readonly acceptedAtMs: number
  /** Of all calls in this POST. */
  readonly scope: OpenScope
  /** For the store, by all requests in this POST but calls, which have a deadline. */
  readonly wait: StoreWait
  /** The host's hard end; undefined where there is none. */
  readonly deadlineMs: number | undefined
  /** For messages before the answer; undefined where the client takes none. */
  readonly channel: Channel | undefined
  /**
   * Aborts when the client is known to have left, or the server stops; its reason says which
   * (core/call/no-answer.ts). Undefined where the host does not report it.
   */
  readonly gone: AbortSignal | undefined
}

export type HttpReply =
  /** `status` counts only while no message was sent before the answer. */
  | { readonly kind: 'reply'; readonly status: number; readonly text: string }
  /** A refusal of the whole POST: 401, or 403 for a disabled user. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly callId?: string }
  /** A cancelled request gets no answer. */
  | { readonly kind: 'nothing' }
