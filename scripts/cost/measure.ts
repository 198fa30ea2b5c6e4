/**
 * `npm run cost:measure`: measures the figures of the model of `npm run cost` again, and writes
 * them to lib/cost/measured.json. Takes about two minutes; run it on a quiet machine, because it
 * measures CPU time.
 */
import '../../bench/lib/help.ts'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { sumUnits } from '../../bench/lib/one-call.ts'
import { openSweep } from '../../bench/lib/sweep-run.ts'
import { countIdle } from '../../bench/stream/idle.ts'
import type { SweepEntryUse, Units } from '../../lib/cost/model.ts'
import { measureCalls, roundFigures } from './measure-calls.ts'

const UPSTREAM_MS = 20
const HOUR_MS = 3_600_000
const ENTRIES = 200

/** Counts the units of one run of the sweep that finds nothing. */
export async function countIdleSweep(): Promise<Units> {
  const { readUnits, writeUnits } = await countSweep(0)
  return { readUnits, writeUnits }
}

/**
 * Measures the use of one sweep entry: what each of many entries adds to a run that finds nothing.
 */
export async function countSweepEntry(): Promise<SweepEntryUse> {
  const [idle, swept] = [await countSweep(0), await countSweep(ENTRIES)]
  const per = (name: keyof SweepEntryUse) => Math.max(0, (swept[name] - idle[name]) / ENTRIES)
  const [readUnits, writeUnits] = [per('readUnits'), per('writeUnits')]
  return roundFigures({ readUnits, writeUnits, rounds: per('rounds'), cpuMs: per('cpuMs') })
}

async function countSweep(entries: number): Promise<SweepEntryUse> {
  const consumed: Parameters<typeof sumUnits>[0][number][] = []
  let [rounds, lastEndMs, before] = [0, 0, process.cpuUsage()]
  const sweep = await openSweep({
    consumed: (one) => consumed.push(one),
    request: ({ endMs, startMs }) => {
      if (startMs >= lastEndMs) rounds += 1
      lastEndMs = Math.max(lastEndMs, endMs)
    },
  })
  try {
    await sweep.run(entries, () => {
      consumed.length = 0
      rounds = 0
      before = process.cpuUsage()
    })
    const { system, user } = process.cpuUsage(before)
    const [readUnits, writeUnits] = [sumUnits(consumed, 'read'), sumUnits(consumed, 'written')]
    return { readUnits, writeUnits, rounds, cpuMs: (system + user) / 1_000 }
  } finally {
    await sweep.stop()
  }
}

async function measure(): Promise<void> {
  const measured = {
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run cost:measure',
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}`,
    ...(await measureCalls(UPSTREAM_MS)),
    idleSweep: await countIdleSweep(),
    sweepEntry: await countSweepEntry(),
    streamHour: {
      sse: await countIdle('sse', HOUR_MS),
      listen: await countIdle('listen', HOUR_MS),
    },
  }
  const file = join(import.meta.dirname, '../../lib/cost/measured.json')
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
  console.log(`Written to ${file}. npm run cost shows what it comes to.`)
}

if (import.meta.main) await measure()
