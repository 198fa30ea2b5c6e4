/**
 * How long a tail waits between two polls. Pending: 40 ms for the first 2 s, then ×1.5 up to 250
 * ms; each change starts over. Idle: 250 ms, and 500 ms after a quiet minute. Store failing:
 * doubling up to 2 s. Numbers from docs/service.md, Reply delivery; the 2 s from ADR 0014.
 */

export const PENDING_FIRST_MS = 40
/** The pace stays at its first value this long after a change: most calls end within it. */
export const PENDING_FLAT_MS = 2_000
export const PENDING_GROWTH = 1.5
export const PENDING_MAX_MS = 250
export const IDLE_MS = 250
export const QUIET_MS = 500
export const QUIET_AFTER_MS = 60_000
export const TROUBLE_MAX_MS = 2_000

export type PollPace = {
  readonly pendingMs: number
  readonly troubleMs: number
  readonly busyAtMs: number
  /** Time of the last poll that brought something. */
  readonly changedAtMs: number
}

export type PollOutcome = {
  readonly nowMs: number
  /** Requests without a reply so far. */
  readonly waiting: number
  /** The last poll brought something new. */
  readonly changed: boolean
  /** The last poll failed. */
  readonly trouble: boolean
}

export function startPace(nowMs: number): PollPace {
  return { pendingMs: PENDING_FIRST_MS, troubleMs: IDLE_MS, busyAtMs: nowMs, changedAtMs: nowMs }
}

/** The pause before the next poll, and the pace after it. */
export function nextPause(pace: PollPace, outcome: PollOutcome): { ms: number; pace: PollPace } {
  if (outcome.trouble) {
    return {
      ms: pace.troubleMs,
      pace: { ...pace, troubleMs: Math.min(pace.troubleMs * 2, TROUBLE_MAX_MS) },
    }
  }
  const busyAtMs = outcome.changed || outcome.waiting > 0 ? outcome.nowMs : pace.busyAtMs
  const changedAtMs = outcome.changed ? outcome.nowMs : pace.changedAtMs
  const calm = { ...pace, busyAtMs, changedAtMs, troubleMs: IDLE_MS }
  if (outcome.waiting === 0) {
    const ms = outcome.nowMs - busyAtMs > QUIET_AFTER_MS ? QUIET_MS : IDLE_MS
    return { ms, pace: { ...calm, pendingMs: PENDING_FIRST_MS } }
  }
  const flat = outcome.nowMs - changedAtMs < PENDING_FLAT_MS
  const ms = flat ? PENDING_FIRST_MS : pace.pendingMs
  return { ms, pace: { ...calm, pendingMs: Math.min(ms * PENDING_GROWTH, PENDING_MAX_MS) } }
}
