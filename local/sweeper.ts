/**
 * Runs the sweep door every minute, as the schedule does on AWS, and never twice at once. After
 * days off there are many minutes to visit: then the next run follows sooner.
 */
import { SWEEP_MINUTES_MAX, type SweepReport } from '../core/flow/execute/sweep-holds.ts'
import type { Log } from '../core/ports.ts'

const EVERY_MS = 60_000
/** The pause between runs that catch up: it leaves the store to the calls for most of the time. */
const CATCH_UP_MS = 2_000

export type Sweeper = {
  /** Starts no further run; resolves when the current run has ended. */
  stop(): Promise<void>
}

export function startSweeper(sweep: () => Promise<SweepReport>, log: Log): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false
  const run = async () => {
    const pauseMs = await sweepOnce(sweep, log)
    if (!stopped) timer = setTimeout(start, pauseMs)
  }
  const start = () => {
    running = run()
  }
  timer = setTimeout(start, CATCH_UP_MS)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Answers the pause before the next run. */
async function sweepOnce(sweep: () => Promise<SweepReport>, log: Log): Promise<number> {
  try {
    const { minutes } = await sweep()
    return minutes < SWEEP_MINUTES_MAX ? EVERY_MS : CATCH_UP_MS
  } catch (cause) {
    log.note('warn', 'sweep-failed', {}, cause)
    return EVERY_MS
  }
}
