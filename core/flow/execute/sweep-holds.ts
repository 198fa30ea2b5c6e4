/**
 * Runs every minute and ends holds whose function died before it ended them. Visits only users whose calls were
 * counted, for a bounded time in each run, and can be stopped and repeated at any point. Bound by
 * docs/service.md, Recovery, ADR 0067, ADR 0071 and ADR 0073.
 *
 *   newest minutes, the last first ─▶ backlog from the cursor on ─▶ the cursor
 * Holds that just became stale wait for no backlog. A run that its time ends leaves the rest of the backlog; the
 * cursor stays at the first entry that was not visited, and says which minutes ahead of it were.
 *
 * Two runs at once: they do the same idempotent writes, and the later cursor stands. Each moves it only past
 * entries whose users it has itself seen without a hold of that minute, or entered anew. That stays true: nobody
 * places a hold in these minutes any more.
 */
import { minuteOf } from '../../access/minute.ts'
import type { SweepCursor } from '../../ports/ledger.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { beginSweep, type Sweep, type SweepNeeds, sweepMinute } from './sweep-minute.ts'

/** Of a function that has 55 s: what has begun, old keys and events need the rest. */
export const SWEEP_BUDGET_MS = 40_000
/** Minutes of the backlog that one run visits; on a store that answers in 10 ms, 2 s. */
export const SWEEP_MINUTES_MAX = 200
/** Newest minutes that a run visits before the backlog: the last, and those that runs which did not come have left. */
export const SWEEP_NEWEST_MINUTES = 5
/** Where the very first sweep starts: one day back. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
  /** Users whom this run has found in entries and had no time for. */
  readonly left: number
  /** Minutes from the first with entries that were not visited yet to the last that is due. */
  readonly backlogMinutes: number
}

/** `events`: balances and budgets that a call's own process did not live to report are reported here. */
export async function sweepHolds(
  needs: SweepNeeds,
  events: EventSettings = undefined,
): Promise<SweepReport> {
  const startMs = needs.clock.nowMs()
  // Every hold of this minute is older than 60 s, so it is stale.
  const last = minuteOf(startMs) - 2
  const stored = await needs.sweepEntries.readCursor()
  const cursor: SweepCursor = stored ?? { minute: last - SWEEP_FIRST_MINUTES, after: '' }
  const sweep = beginSweep(needs, { eventSettings: events, untilMs: startMs + SWEEP_BUDGET_MS })
  // Nothing is known of the minutes before a first sweep.
  const newest = stored === undefined ? SWEEP_NEWEST_MINUTES : 1
  const reached = await visitMinutes(sweep, cursor, { last, newest })
  await needs.sweepEntries.writeCursor(reached)
  const done = { ...sweep.counts, backlogMinutes: Math.max(0, last + 1 - reached.minute) }
  needs.log.note('info', 'sweep-done', done)
  return done
}

/** The last minute that is due, and how many a run visits first that knows of none ahead of the cursor. */
type Due = { readonly last: number; readonly newest: number }

/** The cursor after it. A minute whose entries cannot all be read keeps the backlog, and not the newest minutes. */
async function visitMinutes(sweep: Sweep, cursor: SweepCursor, due: Due): Promise<SweepCursor> {
  const { last } = due
  if (cursor.minute > last + 1) {
    await visitBehind(sweep, last)
    return cursor
  }
  const ahead = await visitAhead(sweep, cursor, due)
  let reached: SweepCursor = { minute: cursor.minute, after: cursor.after }
  for (let n = 0; n < SWEEP_MINUTES_MAX && reached.minute <= last && sweep.hasTime(); n += 1) {
    const { minute } = reached
    if (minute === ahead?.from) {
      reached = { minute: ahead.to + 1, after: '' }
    } else {
      reached = await sweepMinute(sweep, reached)
      if (reached.minute === minute) break
    }
  }
  return ahead === undefined || ahead.to < reached.minute ? reached : { ...reached, ahead }
}

/**
 * The clock went back by minutes: the cursor stays, since it only grows, and the newest minutes are behind it. Each run
 * visits them until the clock has come to the cursor again.
 */
async function visitBehind(sweep: Sweep, last: number): Promise<void> {
  for (let minute = last; minute > last - SWEEP_NEWEST_MINUTES; minute -= 1) {
    await sweepMinute(sweep, { minute, after: '' })
  }
}

/**
 * The last minute, and those before it that runs which did not come have left: none is that of the cursor, and none
 * that a run has visited ahead of it, since a minute counts whole or not at all.
 */
async function visitAhead(
  sweep: Sweep,
  { ahead, minute: first }: SweepCursor,
  { last, newest }: Due,
): Promise<SweepCursor['ahead']> {
  const lowest = Math.max(first, last - SWEEP_NEWEST_MINUTES, ahead?.to ?? last - newest) + 1
  let from = last + 1
  for (let minute = last; minute >= lowest; minute -= 1) {
    const isWhole = (await sweepMinute(sweep, { minute, after: '' })).minute > minute
    if (isWhole && from === minute + 1) from = minute
  }
  if (from > last) return ahead
  return { from: ahead?.to === from - 1 ? ahead.from : from, to: last }
}
