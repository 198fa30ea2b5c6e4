/**
 * Every minute: ends holds that no one settled (their function died). Looks only where execute left
 * a sweep entry, in a bounded batch, and can be stopped and repeated at any point; two sweeps at
 * once do the same idempotent writes. Bound by docs/service.md, Recovery.
 *
 *   sweep entry sweep:{minute}/{uid} is written before the hold ─▶ sweep of a later minute finds it
 * A hold can come up to one minute after its sweep entry, so a minute is visited when the one behind it is
 * over too: a sweep entry that was removed earlier could leave such a hold without any. Holds are refunded
 * no later for it, since they are left alone for a minute anyway. A sweep entry stays while the profile
 * holds anything it may stand for; the cursor stays at the first minute that keeps a sweep entry.
 */
import { minuteOf } from '../../access/minute.ts'
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import { type MigrateNeeds, migrateUser } from '../migration/migrate-user.ts'
import { healHolds } from './settle-call.ts'

type Needs = Pick<Ports, 'ledger' | 'sweepEntries'> & MigrateNeeds

/** Profiles visited by one run; the next run goes on. */
export const SWEEP_PROFILES_MAX = 500
/** Minutes visited by one run. */
export const SWEEP_MINUTES_MAX = 200
/** The newest minutes are visited by every run, also by one that is busy with a backlog. */
export const SWEEP_NEWEST_MINUTES = 5
/** Where the very first sweep starts: one day back. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
  /** From the first minute that still has sweep entries, or was not visited yet, to the last that is due. */
  readonly backlogMinutes: number
}

export async function sweepHolds(ports: Needs): Promise<SweepReport> {
  const lastMinute = minuteOf(ports.clock.nowMs()) - 2
  const start = (await ports.sweepEntries.readCursor()) ?? lastMinute - SWEEP_FIRST_MINUTES
  const end = Math.min(lastMinute, start + SWEEP_MINUTES_MAX - 1)
  const report = { profiles: 0, holds: 0, minutes: 0 }
  let cursor: number | undefined
  for (let minute = start; minute <= end && report.profiles < SWEEP_PROFILES_MAX; minute += 1) {
    const kept = await sweepMinute(ports, minute, report)
    report.minutes += 1
    if (kept && cursor === undefined) cursor = minute
  }
  const next = cursor ?? start + report.minutes
  await ports.sweepEntries.writeCursor(next)
  // What just became stale does not wait for a backlog, or for a minute that keeps a sweep entry.
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

/** True when sweep entries are left in that minute. */
async function sweepMinute(
  ports: Needs,
  minute: number,
  report: { profiles: number; holds: number },
): Promise<boolean> {
  const room = SWEEP_PROFILES_MAX - report.profiles
  if (room <= 0) return true
  const uids = await ports.sweepEntries.list(minute, room)
  let kept = uids.length === room
  for (const uid of uids) {
    report.profiles += 1
    const healed = await healSafely(ports, uid)
    report.holds += healed ?? 0
    if (healed === undefined || (await mayStillHold(ports, uid, minute))) kept = true
    else await ports.sweepEntries.remove({ uid, minute })
  }
  return kept
}

/** Undefined when the store failed at this user: its sweep entry stays, and the others are not kept waiting. */
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
  // Credits that an old writer of the earlier service added since: its user has called just now.
  if (profile.v0 !== undefined) await migrateUser(ports, { uid })
  return healHolds(ports, profile)
}

/** Holds placed until the end of the next minute may stand under this sweep entry. */
async function mayStillHold(ports: Needs, uid: string, minute: number): Promise<boolean> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return false
  const untilMs = (minute + 2) * 60_000
  return Object.values(profile.holds).some((hold) => hold.heldAtMs < untilMs)
}
