/**
 * Runs the sweep door every minute, as the schedule does on AWS, and never twice at once. If the
 * twin was off for days there are many minutes to visit; then the next run follows sooner.
 */
import { SWEEP_MINUTES_MAX, type SweepReport } from '../core/flow/execute/sweep-holds.ts'
import type { Log } from '../core/ports/outside.ts'
import { type RepeatedWork, repeat } from './repeat.ts'

const EVERY_MS = 60_000
/** The pause between runs that catch up; it leaves the store to the calls for most of the time. */
const CATCH_UP_MS = 2_000

/** Starts the sweeper. */
export function startSweeper(sweep: () => Promise<SweepReport>, log: Log): RepeatedWork {
  return repeat(() => sweepOnce(sweep, log), CATCH_UP_MS)
}

/** Runs the sweep once and returns the pause before the next run. */
async function sweepOnce(sweep: () => Promise<SweepReport>, log: Log): Promise<number> {
  try {
    const { minutes } = await sweep()
    return minutes < SWEEP_MINUTES_MAX ? EVERY_MS : CATCH_UP_MS
  } catch (cause) {
    log.note('warn', 'sweep-failed', {}, cause)
    return EVERY_MS
  }
}
