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
  /** Actions that run now, by kind: slow store writes must not hold up the heartbeats. */
  readonly underWay: Map<string, Promise<void>>
  state: StreamState
  why: StreamEndReason
  /** Delays of replies that are not logged yet; reply-delays.ts keeps the list short. */
  readonly delaysMs: number[]
  /** The version of the agent's tool list at the last look; undefined before the first. */
  listSeen: number | undefined
  /** The beat looks whether the list has changed: at first, and once the store tells of a change. */
  isLookDue: boolean
  /** A bug that ended the stream; thrown once the session is ended and the lease removed. */
  bug: unknown
}

/** The first reason stands. */
export function endStream(stream: Stream, why: StreamEndReason): void {
  if (stream.stop.signal.aborted) return
  stream.why = why
  stream.stop.abort()
}
