/**
 * How long a hold may stand, and when the sweep visits its user. The hold of a call is stale after
 * STALE_HOLD_MS; that of a task has a deadline of its own, and counts beside the calls in flight.
 * Bound by docs/service.md, Holds and Recovery.
 */
import type { NewHold, Profile } from './ledger.ts'
import { STALE_HOLD_MS } from './limits.ts'

type Deadline = Pick<NewHold, 'heldAtMs' | 'untilMs'>

export function isTask({ untilMs }: Pick<NewHold, 'untilMs'>): boolean {
  return untilMs !== undefined
}

/** The number of the user's tasks that hold credits. */
export function countTasks({ holds }: Pick<Profile, 'holds'>): number {
  return Object.values(holds).filter(isTask).length
}

/** True if the call or task has died: nothing runs any more that could still end the hold. */
export function isStale({ heldAtMs, untilMs }: Deadline, nowMs: number): boolean {
  return nowMs > (untilMs ?? heldAtMs + STALE_HOLD_MS)
}

/**
 * A time in the minute in which the hold needs a sweep entry of its user. The sweep visits a minute
 * when the next one is over; then the hold is stale, since a minute is no longer than
 * STALE_HOLD_MS.
 */
export function sweepEntryMs({ heldAtMs, untilMs }: Deadline): number {
  return untilMs === undefined ? heldAtMs : untilMs - STALE_HOLD_MS
}
