/**
 * Runs every minute and ends holds whose function died before it ended them. Visits only users with
 * a sweep entry, for a bounded time in each run, and can be stopped and repeated at any point. Bound by
 * docs/service.md, Recovery, and ADR 0067.
 *
 *   newest minutes, the last first ─▶ backlog from the cursor on ─▶ the cursor
 * Holds that just became stale wait for no backlog. A run that its time ends leaves the oldest of it, and the
 * cursor stays at the first minute that has an entry left, was not listed whole, or was not visited.
 *
 * Two runs at once: they do the same idempotent writes, and the later cursor stands. Each moves it only past
 * minutes in which it has itself seen each user without a hold, which stays true: nobody enters these any more.
 */
import { minuteOf } from '../../access/minute.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { beginSweep, type SweepNeeds, sweepMinute } from './sweep-minute.ts'

/** Of a function that has 55 s: what has begun, old keys and events need the rest. */
export const SWEEP_BUDGET_MS = 40_000
/** Minutes of the backlog that one run visits; on a store that answers in 10 ms, 2 s. */
export const SWEEP_MINUTES_MAX = 200
/** Newest minutes, which every run visits first. */
export const SWEEP_NEWEST_MINUTES = 5
/** Where the very first sweep starts: one day back. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
  /** Entries that this run has seen and had no time for. */
  readonly left: number
  /**
   * Minutes from the first that still has entries, or was not visited yet, to the last that is due.
   */
  readonly backlogMinutes: number
}

/** `events`: balances and budgets that a call's own process did not live to report are reported here. */
export async function sweepHolds(
  needs: SweepNeeds,
  events: EventSettings = undefined,
): Promise<SweepReport> {
  const startMs = needs.clock.nowMs()
  // A hold can be placed up to one minute after its sweep entry. So a minute is visited once the next one is
  // over too: an entry that was removed earlier could leave such a hold without one.
  const last = minuteOf(startMs) - 2
  const cursor = (await needs.sweepEntries.readCursor()) ?? last - SWEEP_FIRST_MINUTES
  const sweep = beginSweep(needs, { eventSettings: events, untilMs: startMs + SWEEP_BUDGET_MS })
  const newest = Math.max(cursor, last - SWEEP_NEWEST_MINUTES + 1)
  let next = last + 1
  for (let minute = last; minute >= newest; minute -= 1) {
    if (!(await sweepMinute(sweep, minute))) next = minute
  }
  const end = Math.min(newest, cursor + SWEEP_MINUTES_MAX)
  let stopped: number | undefined
  let minute = cursor
  for (; minute < end && sweep.hasTime(); minute += 1) {
    if (!(await sweepMinute(sweep, minute))) stopped ??= minute
  }
  if (minute < newest) stopped ??= minute
  const reached = Math.max(cursor, stopped ?? next)
  await needs.sweepEntries.writeCursor(reached)
  const done = { ...sweep.counts, backlogMinutes: Math.max(0, last + 1 - reached) }
  needs.log.note('info', 'sweep-done', done)
  return done
}
