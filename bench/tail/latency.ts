/**
 * POST sent → reply event, through two twins that differ only in their tail, in turn, with 1 and 20
 * streams; and the CPU time of twin and store, busy and idle. Each twin is a process of its own
 * with its embedded DynamoDB on disk, as with `npm start -- --store dynamodb`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/tail-types.ts'
import { ms, percentile, printTable } from '../lib/figures.ts'
import type { MeasuredProcess } from '../lib/measured-process.ts'
import { treeCpuMs } from '../lib/process-tree.ts'
import { inShort } from '../lib/short.ts'
import { startTwin } from '../lib/start-twin.ts'
import { grantCredits, openWay } from '../stream/round-trip.ts'

const TAILS: readonly ReplyTail['kind'][] = ['partition', 'dynamodb-streams']
const STREAMS: readonly number[] = inShort([1, 20], [1, 2])
/** Calls of each run, spread over its streams. */
const CALLS = inShort(200, 4)
/** More than the pause of any idle poll, so that calls fall anywhere between two of them. */
const GAP_MS_MAX = 300
/** With more streams the pauses are longer, so that no queue before the call is measured. */
const CALLS_PER_SEC_MAX = 7
/** Past the minute after which both tails are at their slowest. */
const QUIET_MS = inShort(62_000, 100)
const REST_MS = inShort(20_000, 200)

type Twin = {
  readonly tail: ReplyTail['kind']
  readonly process: MeasuredProcess
  readonly calls: readonly ((id: number) => Promise<number>)[]
}

export async function measureLatency(): Promise<void> {
  const latencies: (readonly (string | number)[])[] = []
  const loads: (readonly (string | number)[])[] = []
  for (const streams of STREAMS) {
    const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
    const twins: Twin[] = []
    try {
      for (const tail of TAILS) twins.push(await openTwin(tail, join(folder, tail), streams))
      for (const twin of twins) latencies.push(await work(twin))
      await setTimeout(QUIET_MS)
      loads.push(...(await Promise.all(twins.map(rest))))
    } finally {
      await Promise.all(twins.map(({ process }) => process.stop()))
      rmSync(folder, { recursive: true })
    }
  }
  printTable(
    [
      'POST sent → reply event, 0 ms upstream',
      'streams',
      'calls',
      'p50 ms',
      'p99 ms',
      'CPU ms/call',
    ],
    latencies,
  )
  printTable(['streams open, nothing asked for a minute', 'streams', 'CPU ms/s'], loads)
}

async function openTwin(tail: ReplyTail['kind'], data: string, streams: number): Promise<Twin> {
  const options = ['--json', '--port', '0', '--data', data, '--calls-per-minute', '1000000']
  const process = await startTwin([...options, '--store', 'dynamodb', '--reply-tail', tail])
  await grantCredits(process.ready)
  const calls = []
  // A key may have 20 streams: as many as are opened here.
  for (let stream = 0; stream < streams; stream += 1) calls.push(await openWay(process.ready))
  return { tail, process, calls }
}

async function work({ tail, process, calls }: Twin): Promise<readonly (string | number)[]> {
  const before = treeCpuMs(process.pid)
  const each = CALLS / calls.length
  const gapMs = Math.max(GAP_MS_MAX, (2_000 * calls.length) / CALLS_PER_SEC_MAX)
  const lanes = calls.map(async (call) => {
    const latenciesMs: number[] = []
    for (let id = 0; id < each; id += 1) {
      await setTimeout(Math.random() * gapMs)
      latenciesMs.push(await call(id))
    }
    return latenciesMs
  })
  const all = (await Promise.all(lanes)).flat()
  const cpuMs = (treeCpuMs(process.pid) - before) / all.length
  return [
    tail,
    calls.length,
    all.length,
    ms(percentile(all, 50)),
    ms(percentile(all, 99)),
    ms(cpuMs),
  ]
}

async function rest({ tail, process, calls }: Twin): Promise<readonly (string | number)[]> {
  const before = treeCpuMs(process.pid)
  await setTimeout(REST_MS)
  return [tail, calls.length, ms((treeCpuMs(process.pid) - before) / (REST_MS / 1_000))]
}
