/**
 * Every minute: ends holds that no one settled (their function died). Looks only where execute left
 * a mark, in a bounded batch, and can be stopped and repeated at any point; two sweeps at once do
 * the same idempotent writes. Bound by design section 4 (Ledger: Crash).
 *
 *   mark sweep:{minute}/{uid} is written before the hold ─▶ sweep of a later minute finds it
 * A hold can come up to one minute after its mark, so a minute is visited when the one behind it is
 * over too: a mark that was removed earlier could leave such a hold without any. Holds are refunded
 * no later for it, since they are left alone for a minute anyway. A mark stays while the profile
 * holds anything it may stand for; the cursor stays at the first minute that keeps a mark.
 */
import { minuteOf } from '../access/minute.ts'
import type { Ports } from '../ports.ts'
import { healHolds } from './settle-call.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'log' | 'profiles' | 'sweepMarks'>

/** Profiles visited by one run; the next run goes on. */
export const SWEEP_PROFILES_MAX = 500
/** Minutes visited by one run. */
export const SWEEP_MINUTES_MAX = 200
/** Where the very first sweep starts: one day back. */
export const SWEEP_FIRST_MINUTES = 1_440

export type SweepReport = {
  readonly profiles: number
  readonly holds: number
  readonly minutes: number
}

export async function sweepHolds(ports: Needs): Promise<SweepReport> {
  const lastMinute = minuteOf(ports.clock.nowMs()) - 2
  const start = (await ports.sweepMarks.readCursor()) ?? lastMinute - SWEEP_FIRST_MINUTES
  const end = Math.min(lastMinute, start + SWEEP_MINUTES_MAX - 1)
  const report = { profiles: 0, holds: 0, minutes: 0 }
  let cursor: number | undefined
  for (let minute = start; minute <= end && report.profiles < SWEEP_PROFILES_MAX; minute += 1) {
    const kept = await sweepMinute(ports, minute, report)
    report.minutes += 1
    if (kept && cursor === undefined) cursor = minute
  }
  await ports.sweepMarks.writeCursor(cursor ?? start + report.minutes)
  ports.log.note('info', 'sweep-done', report)
  return report
}

/** True when marks are left in that minute. */
async function sweepMinute(
  ports: Needs,
  minute: number,
  report: { profiles: number; holds: number },
): Promise<boolean> {
  const room = SWEEP_PROFILES_MAX - report.profiles
  const uids = await ports.sweepMarks.list(minute, room)
  let kept = uids.length === room
  for (const uid of uids) {
    report.profiles += 1
    report.holds += await heal(ports, uid)
    if (await mayStillHold(ports, uid, minute)) kept = true
    else await ports.sweepMarks.remove({ uid, minute })
  }
  return kept
}

async function heal(ports: Needs, uid: string): Promise<number> {
  const profile = await ports.profiles.read(uid)
  return profile === undefined ? 0 : healHolds(ports, profile)
}

/** Holds placed until the end of the next minute may stand under this mark. */
async function mayStillHold(ports: Needs, uid: string, minute: number): Promise<boolean> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return false
  const untilMs = (minute + 2) * 60_000
  return Object.values(profile.holds).some((hold) => hold.heldAtMs < untilMs)
}
