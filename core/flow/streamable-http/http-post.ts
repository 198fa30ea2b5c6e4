/** One POST of Streamable HTTP as the flows see it, and the replies to a request in it. */
import type { Credential } from '../../access/credential.ts'
import type { Refusal } from '../../errors.ts'
import type { OpenScope } from '../access/call-scope.ts'
import type { StoreWait } from '../access/store-wait.ts'
import type { Channel } from './call-progress.ts'

export type PostedRequest = {
  readonly credential: Credential
  /** The caller's token of an issuer, for a token exchange; it stays in this process. */
  readonly callerToken?: string | undefined
  /** The User-Agent header; a modern client names itself in the request instead. */
  readonly client?: string | undefined
  readonly acceptedAtMs: number
  /** The scope of all calls in this POST. */
  readonly scope: OpenScope
  /**
   * The wait for the store that all requests in this POST share, except calls, which have a
   * deadline.
   */
  readonly wait: StoreWait
  /** The time at which the host ends the request; undefined on a host without a limit. */
  readonly deadlineMs: number | undefined
  /** Carries messages before the answer; undefined if the client accepts none. */
  readonly channel: Channel | undefined
  /**
   * Aborts when the client is known to have left or the server stops; its reason says which
   * (core/call/no-answer.ts). Undefined if the host does not report it.
   */
  readonly gone: AbortSignal | undefined
}

export type HttpReply =
  /** `status` applies only if no message was sent before the answer. */
  | { readonly kind: 'reply'; readonly status: number; readonly text: string }
  /** A refusal of the whole POST: 401, or 403 for a disabled user or a missing scope. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly callId?: string }
  /** A cancelled request gets no answer. */
  | { readonly kind: 'nothing' }
