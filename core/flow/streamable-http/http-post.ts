/** One POST of Streamable HTTP as flows see it, and what may become of a request in it. */
import type { Refusal } from '../../errors.ts'
import type { Channel } from './call-progress.ts'

/** Who posted, when, and what can be told before the answer. */
export type PostedRequest = {
  readonly authorization: string | undefined
  readonly acceptedAtMs: number
  /** The host's hard end; undefined where there is none. */
  readonly deadlineMs: number | undefined
  /** Undefined: the client takes nothing before its answer. */
  readonly channel: Channel | undefined
  /** Aborts when the client is known to have left; undefined where nobody tells. */
  readonly gone: AbortSignal | undefined
}

export type HttpReply =
  /** `status` is said while it can be. */
  | { readonly kind: 'reply'; readonly status: number; readonly text: string }
  /** A refusal of the whole POST: 401. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It was cancelled: nothing must follow. */
  | { readonly kind: 'nothing' }
