/**
 * The state of an open stream, which its loops and actions share. Bound by docs/service.md,
 * Streams.
 */
import type { Ports } from '../../ports/ports.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import type { StreamEndReason, StreamState } from '../../session/stream-plan.ts'
import type { OpenedSession } from './open-session.ts'

export type StreamNeeds = Pick<
  Ports,
  | 'toolListVersion'
  | 'changes'
  | 'clock'
  | 'digests'
  | 'execute'
  | 'keys'
  | 'leases'
  | 'log'
  | 'profiles'
  | 'replies'
  | 'seals'
  | 'sessions'
>

export type Stream = {
  readonly opened: OpenedSession
  readonly outlet: StreamOutlet
  readonly stop: AbortController
  /** Running actions by kind and number: slow store writes must not delay the heartbeats. */
  readonly underWay: Map<string, Promise<void>>
  state: StreamState
  why: StreamEndReason
  /** Delays of replies that are not logged yet; reply-delays.ts limits the list. */
  readonly delaysMs: number[]
  /** The version of the agent's tool list at the last check; undefined before the first. */
  listSeen: number | undefined
  /**
   * True at first and after each change that the store announces: the beat loop then checks the
   * tool list.
   */
  isListCheckDue: boolean
  /** A bug that ended the stream. It is thrown once the session is ended and the lease removed. */
  bug: unknown
}

/** Ends a stream. If it is called twice, the first reason is kept. */
export function endStream(stream: Stream, why: StreamEndReason): void {
  if (stream.stop.signal.aborted) return
  stream.why = why
  stream.stop.abort()
}
