/**
 * Runs every minute and ends holds whose function died before it ended them. Visits only users with
 * a sweep entry, a bounded number in each run, and can be stopped and repeated at any point. Two
 * sweeps at once do the same idempotent writes. Bound by docs/service.md, Recovery.
 *
 *   sweep entry sweep:{minute}/{uid} is written before the hold ─▶ sweep of a later minute finds it
 * A hold can be placed up to one minute after its sweep entry. So a minute is visited once the next
 * minute is over too: an entry removed earlier could leave such a hold without one. This delays no
 * refund, since a hold is left alone for its first minute anyway. An entry stays while the profile
 * has a hold that it may stand for. The cursor stays at the first minute that keeps an entry.
 */
import { minuteOf } from '../../access/minute.ts'
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import { type MigrateNeeds, migrateUser } from '../migration/migrate-user.ts'
import { healHolds } from './settle-call.ts'

type Needs = Pick<Ports, 'ledger' | 'sweepEntries'> & MigrateNeeds

/** Profiles visited by one run; the next run continues. */
export const SWEEP_PROFILES_MAX = 500
/** Minutes visited by one run. */
export const SWEEP_MINUTES_MAX = 200
/** Newest minutes, which every run visits, even one that works on a backlog. */
export const SWEEP_NEWEST_MINUTES = 5
/** Where the very first sweep starts: one day back. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
  /**
   * Minutes from the first that still has entries, or was not visited yet, to the last that is due.
   */
  readonly backlogMinutes: number
}

export async function sweepHolds(ports: Needs): Promise<SweepReport> {
  const lastMinute = minuteOf(ports.clock.nowMs()) - 2
  const start = (await ports.sweepEntries.readCursor()) ?? lastMinute - SWEEP_FIRST_MINUTES
  const end = Math.min(lastMinute, start + SWEEP_MINUTES_MAX - 1)
  const report = { profiles: 0, holds: 0, minutes: 0 }
  let cursor: number | undefined
  for (let minute = start; minute <= end && report.profiles < SWEEP_PROFILES_MAX; minute += 1) {
    const keepsEntries = await sweepMinute(ports, minute, report)
    report.minutes += 1
    if (keepsEntries && cursor === undefined) cursor = minute
  }
  const next = cursor ?? start + report.minutes
  await ports.sweepEntries.writeCursor(next)
  // Holds that just became stale wait neither for a backlog nor for a minute that keeps an entry.
  for (
    let minute = Math.max(end + 1, lastMinute - SWEEP_NEWEST_MINUTES + 1);
    minute <= lastMinute;
    minute += 1
  ) {
    await sweepMinute(ports, minute, report)
    report.minutes += 1
  }
  const done = { ...report, backlogMinutes: Math.max(0, lastMinute + 1 - next) }
  ports.log.note('info', 'sweep-done', done)
  return done
}

/** True when the minute still has sweep entries afterwards. */
async function sweepMinute(
  ports: Needs,
  minute: number,
  report: { profiles: number; holds: number },
): Promise<boolean> {
  const room = SWEEP_PROFILES_MAX - report.profiles
  if (room <= 0) return true
  const uids = await ports.sweepEntries.list(minute, room)
  let keepsEntries = uids.length === room
  for (const uid of uids) {
    report.profiles += 1
    const healed = await healSafely(ports, uid)
    report.holds += healed ?? 0
    if (healed === undefined || (await mayStillHold(ports, uid, minute))) keepsEntries = true
    else await ports.sweepEntries.remove({ uid, minute })
  }
  return keepsEntries
}

/**
 * Undefined when the store failed for this user: the entry stays, and the sweep goes on with the
 * others.
 */
async function healSafely(ports: Needs, uid: string): Promise<number | undefined> {
  try {
    return await heal(ports, uid)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('error', 'sweep-failed', { uid }, cause)
    return undefined
  }
}

async function heal(ports: Needs, uid: string): Promise<number> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return 0
  // The earlier service may have added credits since the move; a user who calls needs them soon.
  if (profile.v0 !== undefined) await migrateUser(ports, { uid })
  return healHolds(ports, profile)
}

/** A sweep entry stands for holds placed until the end of the next minute. */
async function mayStillHold(ports: Needs, uid: string, minute: number): Promise<boolean> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return false
  const untilMs = (minute + 2) * 60_000
  return Object.values(profile.holds).some((hold) => hold.heldAtMs < untilMs)
}
