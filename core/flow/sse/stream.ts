/**
 * An open stream as its loops and actions share it. Holds no behaviour but its own end. Bound by
 * docs/service.md, Streams.
 */
import type { Ports } from '../../ports.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import type { StreamEndReason, StreamState } from '../../session/stream-plan.ts'
import type { OpenedSession } from './open-session.ts'

export type StreamNeeds = Pick<
  Ports,
  | 'toolListVersion'
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
  /** What runs now, by kind: slow store writes must not hold up the heartbeats. */
  readonly underWay: Map<string, Promise<void>>
  state: StreamState
  why: StreamEndReason
  /** How long the replies took that are not noted yet; reply-delays.ts keeps it short. */
  readonly delaysMs: number[]
  /** What the agent's tool list was last known to depend on; undefined before the first look. */
  listSeen: number | undefined
  /** A bug that ended the stream; thrown when it has said goodbye. */
  bug: unknown
}

export function endStream(stream: Stream, why: StreamEndReason): void {
  stream.why = why
  stream.stop.abort()
}
