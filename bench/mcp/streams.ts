/**
 * The cost of open streams: 1,000 of HTTP+SSE on one twin, 1,000 of subscriptions/listen on
 * another, ten on a third. Memory by V8's and by Linux's account, CPU while nobody calls, and the
 * latency of calls beside them, by turns with those beside ten streams. Judges the goals that it
 * prints.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ms, printTable } from '../lib/figures.ts'
import type { LoadGenerator } from '../lib/load-case.ts'
import { measureRounds, runLoad } from '../lib/load-rounds.ts'
import { residentKb } from '../lib/process-tree.ts'
import { inShort } from '../lib/short.ts'
import { type OpenStreams, openStreams, type StreamKind } from './open-streams.ts'
import { DEFAULT, type OurServer, startOurs, targetOf } from './servers.ts'

const STREAMS = inShort(1_000, 20)
const FEW_STREAMS = 10
/** Each key may have 20. */
const STREAM_USERS = STREAMS / 20
const STREAM_KB_MAX = 24.6
const P50_RATIO_MAX = 1.5

const WARM_UP_MS = inShort(3_000, 100)
/** Past the first heartbeats, which are part of what a stream costs. */
const SETTLE_MS = 6_000
const QUIET_MS = inShort(3_000, 100)
const ROUNDS = {
  connections: 16,
  ...inShort({ rounds: 3, forMs: 1_500 }, { rounds: 1, forMs: 100 }),
}

type StreamFigures = {
  readonly name: string
  readonly server: OurServer
  readonly streams: OpenStreams
  readonly heldKb: number
  readonly residentKb: number
}

/** True when the goals are met. */
export async function measureStreams(
  load: LoadGenerator,
  upstreamUrl: string,
  dataFolder: string,
): Promise<boolean> {
  const opened: StreamFigures[] = []
  try {
    opened.push(await openOn(load, upstreamUrl, { kind: 'sse', count: FEW_STREAMS, dataFolder }))
    opened.push(await openOn(load, upstreamUrl, { kind: 'sse', count: STREAMS, dataFolder }))
    opened.push(await openOn(load, upstreamUrl, { kind: 'listen', count: STREAMS, dataFolder }))
    const cpuShares = await quietCpu(opened)
    const targets = opened.map(({ name, server }) => ({ ...targetOf(server, 'tools/call'), name }))
    const figures = await measureRounds(load, targets, ROUNDS)
    const p50s = opened.map(({ name }) => figures.get(name)?.p50Ms ?? Number.NaN)
    for (const { name, streams } of opened) streams.check(name)
    return print(opened, p50s, cpuShares)
  } finally {
    for (const { server, streams } of opened) {
      streams.close()
      await server.process.stop()
    }
  }
}

async function openOn(
  load: LoadGenerator,
  upstreamUrl: string,
  plan: { readonly kind: StreamKind; readonly count: number; readonly dataFolder: string },
): Promise<StreamFigures> {
  const { count, dataFolder, kind } = plan
  const args = ['--data', join(dataFolder, `${kind}-${count}`)]
  const options = { args, users: STREAM_USERS }
  const server = await startOurs(DEFAULT, upstreamUrl, options)
  await runLoad(load, targetOf(server, 'tools/call'), { connections: 16, forMs: WARM_UP_MS })
  const before = await memoryOf(server)
  const streams = await openStreams(kind, server.process.ready, { users: server.users, count })
  await setTimeout(SETTLE_MS)
  const after = await memoryOf(server)
  return {
    name: `${count} ${kind === 'sse' ? 'SSE' : 'listen'} streams`,
    server,
    streams,
    heldKb: (after.heldKb - before.heldKb) / count,
    residentKb: (after.residentKb - before.residentKb) / count,
  }
}

async function memoryOf({ process }: OurServer) {
  const heldBytes = await process.collectGarbage()
  return { heldKb: heldBytes / 1_024, residentKb: residentKb(process.pid) }
}

/** Parts of a core. */
async function quietCpu(opened: readonly StreamFigures[]): Promise<readonly number[]> {
  const used = () => Promise.all(opened.map(({ server }) => server.process.cpuUs()))
  const [before, startedMs] = [await used(), performance.now()]
  await setTimeout(QUIET_MS)
  const [after, tookMs] = [await used(), performance.now() - startedMs]
  return after.map((us, at) => (us - (before[at] ?? 0)) / 1_000 / tookMs)
}

function print(
  opened: readonly StreamFigures[],
  p50s: readonly number[],
  cpuShares: readonly number[],
): boolean {
  const few = p50s[0] ?? Number.NaN
  printTable(
    [
      'tools/call beside, 16 connections',
      'KB a stream, V8',
      'KB a stream, resident',
      'CPU while quiet',
      'p50 ms',
      '÷ with 10',
    ],
    opened.map(({ heldKb, name, residentKb }, at) => [
      name,
      at === 0 ? '' : ms(heldKb),
      at === 0 ? '' : ms(residentKb),
      `${ms((cpuShares[at] ?? 0) * 100)} %`,
      p50s[at]?.toFixed(2) ?? '',
      ((p50s[at] ?? 0) / few).toFixed(2),
    ]),
  )
  const many = opened.slice(1)
  const isSmall = many.every(({ heldKb }) => heldKb <= STREAM_KB_MAX)
  const isEven = p50s.every((p50Ms) => p50Ms / few <= P50_RATIO_MAX)
  console.log(
    `Goals: ≤ ${STREAM_KB_MAX} KB a stream by V8: ${isSmall ? 'met' : 'MISSED'}; ` +
      `p50 ≤ ${P50_RATIO_MAX} × that with ${FEW_STREAMS} streams: ${isEven ? 'met' : 'MISSED'}\n`,
  )
  return isSmall && isEven
}
