/**
 * `npm run cost:measure`: measures anew what the model of `npm run cost` is made of, and writes it to
 * lib/cost/measured.json. Takes about two minutes; run it on a quiet machine, since it measures CPU time.
 */
import '../help.ts'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { countIdle } from '../../bench/stream/idle.ts'
import { countListening } from '../../bench/stream/idle-listen.ts'
import { countIdleSweep, countSweepEntry } from './count-sweep.ts'
import { measureCalls } from './measured.ts'

const UPSTREAM_MS = 20
const HOUR_MS = 3_600_000

async function measure(): Promise<void> {
  const calls = await measureCalls(UPSTREAM_MS)
  const idleSweep = await countIdleSweep()
  const sweepEntry = await countSweepEntry()
  const sse = await countIdle(HOUR_MS)
  const listen = await countListening(HOUR_MS)
  const hourOf = ({ readUnits, writeUnits }: Pick<typeof sse, 'readUnits' | 'writeUnits'>) => ({
    readUnits,
    writeUnits,
  })
  const measured = {
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run cost:measure',
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}`,
    ...calls,
    idleSweep,
    sweepEntry,
    streamHour: { sse: hourOf(sse), listen: hourOf(listen) },
  }
  const file = join(import.meta.dirname, '../../lib/cost/measured.json')
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
  console.log(`Written to ${file}. npm run cost shows what it comes to.`)
}

if (import.meta.main) await measure()
