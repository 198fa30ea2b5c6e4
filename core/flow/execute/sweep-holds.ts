/**
 * Runs every minute and ends holds whose function died before it ended them. A run visits only
 * users whose calls were counted, for a bounded time, and can be stopped and repeated at any point.
 * Bound by docs/service.md, Recovery, and docs/design/ledger.md#the-sweep.
 *
 *   newest minutes, the last first ─▶ backlog from the cursor on ─▶ write the cursor
 * Holds that just became stale do not wait for the backlog. If a run's time is over, the rest of
 * the backlog is left to the next run: the cursor is the first entry that was not visited, and it
 * also names the newer minutes that were visited.
 *
 * Two runs at once make the same idempotent writes, and the later cursor is kept. A run moves the
 * cursor only past entries whose users had no hold of that minute when it read them, or were
 * entered anew. No later hold can change this, since no call places a hold in a past minute.
 */
import { toMinute } from '../../access/minute.ts'
import type { SweepCursor } from '../../ports/ledger.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { beginSweep, type Sweep, type SweepNeeds, sweepMinute } from './sweep-minute.ts'

/**
 * Time after which a run starts no more visits. The function has 55 s: visits that have begun, the
 * deletion of old keys and events take the rest.
 */
export const SWEEP_BUDGET_MS = 40_000
/** Minutes of the backlog that one run visits: 2 s if the store answers in 10 ms. */
export const SWEEP_MINUTES_MAX = 200
/**
 * Newest minutes that a run visits before the backlog: the last one, and minutes of missed runs.
 */
export const SWEEP_NEWEST_MINUTES = 5
/** The very first sweep starts so many minutes back: one day. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
  /** Users in entries that this run read but had no time to visit. */
  readonly left: number
  /** Minutes from the first one that is not wholly visited to the last one that is due. */
  readonly backlogMinutes: number
}

/**
 * Runs one sweep and logs its report. With `events`, the sweep also reports crossed balances and
 * budgets whose own process died before it reported them. Throws `Fault` if the cursor cannot be
 * read or written.
 */
export async function sweepHolds(
  needs: SweepNeeds,
  events: EventSettings = undefined,
): Promise<SweepReport> {
  const startMs = needs.clock.nowMs()
  // Every hold of this minute is older than 60 s, so it is stale.
  const last = toMinute(startMs) - 2
  const stored = await needs.sweepEntries.readCursor()
  const cursor: SweepCursor = stored ?? { minute: last - SWEEP_FIRST_MINUTES, after: '' }
  const sweep = beginSweep(needs, { eventSettings: events, untilMs: startMs + SWEEP_BUDGET_MS })
  // A first sweep takes all minutes but the last from the backlog.
  const newest = stored === undefined ? SWEEP_NEWEST_MINUTES : 1
  const reached = await visitMinutes(sweep, cursor, { last, newest })
  await needs.sweepEntries.writeCursor(reached)
  const done = { ...sweep.counts, backlogMinutes: Math.max(0, last + 1 - reached.minute) }
  needs.log.note('info', 'sweep-done', done)
  return done
}

/**
 * `last` is the last minute that is due. `newest` is how many minutes are visited before the
 * backlog if the cursor names no visited minutes ahead of it.
 */
type Due = { readonly last: number; readonly newest: number }

/**
 * Returns the new cursor. A minute whose entries cannot all be read stops the backlog, but not the
 * newest minutes.
 */
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
 * Handles a clock that went back by minutes. The cursor never goes back, so the newest minutes are
 * behind it, and each run visits them until the clock reaches the cursor again.
 */
async function visitBehind(sweep: Sweep, last: number): Promise<void> {
  for (let minute = last; minute > last - SWEEP_NEWEST_MINUTES; minute -= 1) {
    await sweepMinute(sweep, { minute, after: '' })
  }
}

/**
 * Visits the last minute, and the minutes before it that missed runs have left, without the
 * cursor's minute and without minutes that an earlier run visited ahead of the cursor. Returns the
 * wholly visited minutes ahead of the cursor.
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
