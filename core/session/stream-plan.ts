/**
 * The duties of an open stream and their times: heartbeat, ping, lease, rotation, end. The flow
 * `run-stream` carries them out. docs/service.md, Streams, sets the numbers.
 */
import { mustLeave, toLeaveAtMs } from './lease-end.ts'
import type { PendingRequest, StreamSession } from './session.ts'
import { hasDelivered, startWatermark, type Watermark } from './watermark.ts'

/** The stream writes an empty comment this often (docs/service.md, Streams). */
export const HEARTBEAT_MS = 5_000
/**
 * How old the version of the tool list may be that a stream compares at its heartbeat. Other
 * streams and calls of the process may have read it. This age and a heartbeat stay well below the 6
 * s within which a change is announced (docs/wire.md).
 */
export const LIST_VERSION_AGE_MS_MAX = 500
/** How long EventSource waits before it reconnects; part of the first block. */
export const RETRY_MS = 1_000
/**
 * After this time without a POST a stream sends a ping, to find out whether its client is alive.
 */
export const PING_AFTER_MS = 60_000
/**
 * After this time without a POST a stream ends. A live client would have answered pings by POST.
 */
export const IDLE_END_MS = 180_000
/** An anonymous stream sends its ping earlier, so that an answer can come before its end. */
export const ANONYMOUS_PING_AFTER_MS = 30_000
/**
 * An anonymous stream ends after one quiet minute, because it occupies a function and pays nothing.
 */
export const ANONYMOUS_IDLE_END_MS = 60_000
/** The stream itself answers a request that has no reply this long after its POST. */
export const UNANSWERED_MS = 16_000
/** From this age on, a stream with a deadline ends when no request is waiting. */
export const ROTATE_AFTER_MS = 13 * 60_000
/** How long before its deadline a stream stops accepting POSTs. */
export const DRAIN_BEFORE_DEADLINE_MS = 20_000
/** How long before its deadline a stream ends, even with pending requests. */
export const END_BEFORE_DEADLINE_MS = 2_000
/** How often a stream renews its lease and its session. */
export const RENEW_MS = 30_000
/** How long a renewal is valid. Two lost renewals do not end a stream. */
export const ALIVE_MS = 75_000
/** Delivered requests are removed from the record in batches, which costs 1/8 write per call. */
export const FORGET_BATCH = 8

export type StreamState = {
  readonly session: StreamSession
  readonly delivered: Watermark
  readonly nextHeartbeatAtMs: number
  readonly nextRenewAtMs: number
  /** The expiry of the lease that the store confirmed last. */
  readonly leasedUntilMs: number
  /** Pings sent since the last POST. */
  readonly pings: number
  /** The `lastPostAtMs` since which `pings` are counted. */
  readonly pingsSinceMs: number
  /** The host's hard time limit; undefined on a host without one. */
  readonly deadlineMs: number | undefined
  /** `done`: new POSTs get 404. `under-way`: the write that causes it is still running. */
  readonly draining: 'no' | 'under-way' | 'done'
  /** Requests that certainly have a reply, the stream's own or one that was stored before. */
  readonly answered: ReadonlySet<number>
  /** Calls answered as failed that are not voided yet, and since when. */
  readonly owedVoids: ReadonlyMap<
    number,
    { readonly sinceMs: number; readonly acceptedAtMs: number }
  >
}

export type StreamAction =
  | { readonly kind: 'heartbeat' }
  /** Check whether the agent may stay, and whether its tool list has changed. */
  | { readonly kind: 'look' }
  | { readonly kind: 'renew' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'answer-unanswered'; readonly seq: number; readonly request: PendingRequest }
  | { readonly kind: 'void'; readonly seq: number }
  | { readonly kind: 'forget'; readonly base: number }
  | { readonly kind: 'drain' }
  | { readonly kind: 'rotate-if-quiet' }
  | { readonly kind: 'end'; readonly why: StreamEndReason }

export type StreamEndReason =
  | 'idle'
  | 'rotated'
  | 'deadline'
  | 'ended-elsewhere'
  | 'lease-lapsed'
  | 'user-disabled'
  | 'key-revoked'
  | 'closed'
  | 'gone'

/** Shared by all streams and replaced by the first entry, because most streams never have one. */
const EMPTY = { answered: new Set<number>(), owedVoids: new Map<number, never>() }

/** The state of a stream that opens. `deadlineMs` is the host's time limit. */
export function startStream(session: StreamSession, deadlineMs: number | undefined): StreamState {
  return {
    session,
    delivered: startWatermark(0),
    nextHeartbeatAtMs: session.createdAtMs + HEARTBEAT_MS,
    nextRenewAtMs: session.createdAtMs + RENEW_MS,
    leasedUntilMs: session.createdAtMs + ALIVE_MS,
    pings: 0,
    pingsSinceMs: session.lastPostAtMs,
    deadlineMs,
    draining: 'no',
    ...EMPTY,
  }
}

/** All actions that are due at `nowMs`, in the order in which to start them. */
export function listDueActions(state: StreamState, nowMs: number): readonly StreamAction[] {
  const end = findDueEnd(state, nowMs)
  if (end !== undefined) return [end]
  const actions: StreamAction[] = []
  if (nowMs >= state.nextHeartbeatAtMs) actions.push({ kind: 'heartbeat' }, { kind: 'look' })
  if (nowMs >= state.nextRenewAtMs) actions.push({ kind: 'renew' })
  if (isPingDue(state, nowMs)) actions.push({ kind: 'ping' })
  actions.push(...listOverdue(state, nowMs))
  for (const seq of state.owedVoids.keys()) actions.push({ kind: 'void', seq })
  if (state.delivered.low - state.session.base >= FORGET_BATCH) {
    actions.push({ kind: 'forget', base: state.delivered.low })
  }
  actions.push(...planFarewell(state, nowMs))
  return actions
}

/** Milliseconds in which `listDueActions` finds nothing new unless something else happens. */
export function pauseMs(state: StreamState, nowMs: number): number {
  const dues = [state.nextHeartbeatAtMs, state.nextRenewAtMs, toLeaveAtMs(state.leasedUntilMs)]
  for (const { request } of listUnanswered(state)) dues.push(request.postedAtMs + UNANSWERED_MS)
  if (state.deadlineMs !== undefined) {
    dues.push(
      state.deadlineMs - DRAIN_BEFORE_DEADLINE_MS,
      state.deadlineMs - END_BEFORE_DEADLINE_MS,
    )
  }
  const later = dues.filter((due) => due > nowMs)
  return Math.max(1, Math.min(HEARTBEAT_MS, ...later.map((due) => due - nowMs)))
}

/**
 * Keeps the rhythm: the next heartbeat is counted from the last due time, not from a late wake-up.
 */
export function computeNextBeatMs(dueMs: number, nowMs: number): number {
  const next = dueMs + HEARTBEAT_MS
  return next > nowMs ? next : nowMs + HEARTBEAT_MS
}

/** Accepted requests without a delivered reply. */
export function countWaiting(state: StreamState): number {
  return Math.max(0, state.session.seq - state.delivered.low - state.delivered.above.size)
}

/** The pending entry of a request; undefined if the record no longer has it. */
export function findPendingRequest(
  session: StreamSession,
  seq: number,
): PendingRequest | undefined {
  return session.pending[seq - session.base - 1]
}

function findDueEnd(state: StreamState, nowMs: number): StreamAction | undefined {
  if (state.session.endedAtMs !== undefined && state.draining === 'no') {
    return { kind: 'end', why: 'ended-elsewhere' }
  }
  if (state.deadlineMs !== undefined && nowMs >= state.deadlineMs - END_BEFORE_DEADLINE_MS) {
    return { kind: 'end', why: 'deadline' }
  }
  if (mustLeave(state.leasedUntilMs, nowMs)) return { kind: 'end', why: 'lease-lapsed' }
  const idleMs = state.session.uid === undefined ? ANONYMOUS_IDLE_END_MS : IDLE_END_MS
  // Undelivered replies do not keep a stream: a client that stopped reading would keep it for ever.
  if (listUnanswered(state).length === 0 && nowMs - state.session.lastPostAtMs >= idleMs) {
    return { kind: 'end', why: 'idle' }
  }
  return undefined
}

function isPingDue(state: StreamState, nowMs: number): boolean {
  const sent = state.pingsSinceMs === state.session.lastPostAtMs ? state.pings : 0
  const everyMs = state.session.uid === undefined ? ANONYMOUS_PING_AFTER_MS : PING_AFTER_MS
  return nowMs - state.session.lastPostAtMs >= everyMs * (sent + 1)
}

function listOverdue(state: StreamState, nowMs: number): readonly StreamAction[] {
  return listUnanswered(state)
    .filter(({ request }) => nowMs - request.postedAtMs >= UNANSWERED_MS)
    .map(({ seq, request }) => ({ kind: 'answer-unanswered', seq, request }))
}

function listUnanswered(state: StreamState): readonly { seq: number; request: PendingRequest }[] {
  return state.session.pending
    .map((request, index) => ({ seq: state.session.base + 1 + index, request }))
    .filter(({ seq }) => !hasDelivered(state.delivered, seq) && !state.answered.has(seq))
}

/**
 * Ends a stream before its host does: at its first quiet moment after minute 13, or by refusing new
 * POSTs.
 */
function planFarewell(state: StreamState, nowMs: number): readonly StreamAction[] {
  if (state.deadlineMs === undefined || state.draining === 'under-way') return []
  if (state.draining === 'no' && nowMs >= state.deadlineMs - DRAIN_BEFORE_DEADLINE_MS) {
    return [{ kind: 'drain' }]
  }
  const mayRotate =
    nowMs - state.session.createdAtMs >= ROTATE_AFTER_MS || state.draining === 'done'
  return mayRotate && countWaiting(state) === 0 ? [{ kind: 'rotate-if-quiet' }] : []
}
