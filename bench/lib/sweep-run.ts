/** Runs the sweep over the embedded store, with as many sweep entries as a caller wants. */
import { findMinuteShard } from '../../adapters/dynamodb/table.ts'
import { createSweepDoor } from '../../lambdas/sweep/door.ts'
import { createBenchUser } from './agent.ts'
import { type Meter, openBenchStore } from './gateway.ts'
import { createSleepingClock } from './sleeping-clock.ts'

const MINUTE_MS = 60_000
const SHARDS = 8
/** Age of the minute that a run visits. */
const MINUTES_BEHIND = 2
/** Minutes of a run that finds entries: it also visits two empty minutes, as a late run does. */
const LATE_MINUTES = 3

export type SweepBench = {
  /**
   * Runs the sweep, which finds the entries of `users` new users, whose shards take turns. `before`
   * is called when the run begins.
   */
  run(users: number, before?: () => void): Promise<void>
  stop(): Promise<void>
}

/** No user of these runs has a job. */
const NO_JOBS = { visit: async () => ({ kind: 'none' }) as const }

/**
 * Opens a store of its own, in which only these entries wait for the sweep. `meter` counts the
 * requests of the sweep.
 */
export async function openSweep(meter: Meter): Promise<SweepBench> {
  const store = await openBenchStore()
  let nowMs = Date.UTC(2026, 10, 1)
  const clock = createSleepingClock({ nowMs: () => nowMs, sleep: () => Promise.resolve() })
  const setupPorts = store.ports(clock)
  const quiet = { call: () => {}, note: () => {} }
  const sweep = createSweepDoor({ ...store.ports(clock, meter), jobVisits: NO_JOBS, log: quiet })
  let tried = 0
  const nextName = (shard: number) => {
    do tried += 1
    while (findMinuteShard(`uid#user${tried}`) !== shard)
    return `user${tried}`
  }
  const run: SweepBench['run'] = async (users, before = () => {}) => {
    nowMs += (users === 0 ? 1 : LATE_MINUTES) * MINUTE_MS
    const minute = Math.floor(nowMs / MINUTE_MS) - MINUTES_BEHIND
    for (let user = 0; user < users; user += 1) {
      const uid = nextName(user % SHARDS)
      await createBenchUser(setupPorts, uid, 100)
      await setupPorts.sweepEntries.put({ uid, minute })
    }
    before()
    await sweep()
  }
  await setupPorts.sweepEntries.writeCursor({
    minute: Math.floor(nowMs / MINUTE_MS) - MINUTES_BEHIND,
    after: '',
  })
  await run(0)
  return { run, stop: store.stop }
}
