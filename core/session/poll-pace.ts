/**
 * How long a tail waits between two polls. With pending requests: 40 ms for the first 2 s, then
 * ×1.5 up to 250 ms; each change starts over. Idle: 250 ms, and 500 ms after a quiet minute. If the
 * store fails: doubling up to 2 s. docs/service.md, Reply delivery, sets the numbers; docs/design/streams.md#tails sets
 * the 2 s.
 */

export const PENDING_FIRST_MS = 40
/** The pause keeps its first value this long after a change, because most calls end by then. */
export const PENDING_FLAT_MS = 2_000
export const PENDING_GROWTH = 1.5
export const PENDING_MAX_MS = 250
export const IDLE_PAUSE_MS = 250
export const QUIET_PAUSE_MS = 500
export const QUIET_AFTER_MS = 60_000
export const TROUBLE_PAUSE_MAX_MS = 2_000

export type PollPace = {
  readonly pendingMs: number
  readonly troubleMs: number
  readonly busyAtMs: number
  /** Time of the last poll that found something new. */
  readonly changedAtMs: number
}

export type PollOutcome = {
  readonly nowMs: number
  /** Requests without a reply. */
  readonly waiting: number
  /** The last poll found something new. */
  readonly changed: boolean
  /** The last poll failed. */
  readonly trouble: boolean
}

/** The pace of a tail that starts now. */
export function startPace(nowMs: number): PollPace {
  return {
    pendingMs: PENDING_FIRST_MS,
    troubleMs: IDLE_PAUSE_MS,
    busyAtMs: nowMs,
    changedAtMs: nowMs,
  }
}

/** The pause in milliseconds before the next poll, and the pace after it. */
export function computePause(pace: PollPace, outcome: PollOutcome): { ms: number; pace: PollPace } {
  if (outcome.trouble) {
    return {
      ms: pace.troubleMs,
      pace: { ...pace, troubleMs: Math.min(pace.troubleMs * 2, TROUBLE_PAUSE_MAX_MS) },
    }
  }
  const busyAtMs = outcome.changed || outcome.waiting > 0 ? outcome.nowMs : pace.busyAtMs
  const changedAtMs = outcome.changed ? outcome.nowMs : pace.changedAtMs
  const calm = { ...pace, busyAtMs, changedAtMs, troubleMs: IDLE_PAUSE_MS }
  if (outcome.waiting === 0) {
    const ms = outcome.nowMs - busyAtMs > QUIET_AFTER_MS ? QUIET_PAUSE_MS : IDLE_PAUSE_MS
    return { ms, pace: { ...calm, pendingMs: PENDING_FIRST_MS } }
  }
  const isFlat = outcome.nowMs - changedAtMs < PENDING_FLAT_MS
  const ms = isFlat ? PENDING_FIRST_MS : pace.pendingMs
  return { ms, pace: { ...calm, pendingMs: Math.min(ms * PENDING_GROWTH, PENDING_MAX_MS) } }
}
