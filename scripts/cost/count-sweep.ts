/**
 * The store units of a run of the sweep, counted on the embedded store: of one that finds nothing, and of each sweep entry that
 * one finds.
 */

import { OLD_SWEEP_ENTRIES_MINUTES } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { newUser } from '../../bench/lib/agent.ts'
import { openBenchStore } from '../../bench/lib/gateway.ts'
import { sleepingClock } from '../../bench/lib/sleeping-clock.ts'
import { sweepDoor } from '../../lambdas/sweep/door.ts'
import type { SweepEntryUse, Units } from '../../lib/cost/model.ts'

const MINUTE_MS = 60_000
/** In the first hour a sweep looks for entries of an earlier release, too. */
const MINUTES_TO_SETTLE = OLD_SWEEP_ENTRIES_MINUTES + 1

/** Units of one run that finds nothing, counted by the store. */
export async function countIdleSweep(): Promise<Units> {
  const { readUnits, writeUnits } = (await countSweep(0)).idle
  return { readUnits, writeUnits }
}

/** What each of many entries costs the sweep, beyond a run that finds nothing. */
export async function countSweepEntry(): Promise<SweepEntryUse> {
  const { idle, swept } = await countSweep(ENTRIES)
  const per = (name: keyof SweepRun) =>
    Math.round((100 * (swept[name] - idle[name])) / ENTRIES) / 100
  return {
    readUnits: per('readUnits'),
    writeUnits: per('writeUnits'),
    rounds: per('rounds'),
    cpuMs: Math.max(0, per('cpuMs')),
  }
}

const ENTRIES = 200
const NOTHING = { readUnits: 0, writeUnits: 0, rounds: 0, cpuMs: 0 }
type SweepRun = { -readonly [name in keyof SweepEntryUse]: number }

/** A run that finds nothing, and one that finds the entries of so many users. */
async function countSweep(users: number): Promise<{ idle: SweepRun; swept: SweepRun }> {
  const store = await openBenchStore()
  try {
    let nowMs = Date.UTC(2026, 10, 1)
    let run: SweepRun = { ...NOTHING }
    let lastEndMs = 0
    const clock = sleepingClock({ nowMs: () => nowMs, sleep: () => Promise.resolve() })
    const ports = store.ports(clock, {
      consumed: ({ command, units: used }) => {
        const reads = command === 'get' || command === 'batchGet' || command === 'query'
        if (reads) run.readUnits += used
        else run.writeUnits += used
      },
      request: ({ endMs, startMs }) => {
        if (startMs >= lastEndMs) run.rounds += 1
        lastEndMs = Math.max(lastEndMs, endMs)
      },
    })
    const sweep = sweepDoor({ ...ports, log: { call: () => {}, note: () => {} } })
    const sweepOnce = async () => {
      run = { ...NOTHING }
      const before = process.cpuUsage()
      await sweep()
      const { system, user } = process.cpuUsage(before)
      nowMs += MINUTE_MS
      return { ...run, cpuMs: (system + user) / 1000 }
    }
    await ports.sweepEntries.writeCursor({ minute: Math.floor(nowMs / MINUTE_MS), after: '' })
    nowMs += MINUTES_TO_SETTLE * MINUTE_MS
    await sweepOnce()
    const idle = await sweepOnce()
    for (let user = 0; user < users; user += 1) await newUser(ports, `user${user}`, 100)
    const minute = Math.floor(nowMs / MINUTE_MS)
    for (let user = 0; user < users; user += 1)
      await ports.sweepEntries.put({ uid: `user${user}`, minute })
    nowMs += 2 * MINUTE_MS
    return { idle, swept: await sweepOnce() }
  } finally {
    await store.stop()
  }
}
