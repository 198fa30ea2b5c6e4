/**
 * The store requests of each tail per hour, and how long a reply waits for it, counted on a clock
 * of its own, so that neither the machine nor the store adds to it. On AWS the delay of the table's
 * stream comes on top, which AWS does not specify.
 */
import {
  AWS_PACE,
  LOCAL_PACE,
  type ReadPace,
} from '../../adapters/dynamodb/reply-stream/read-pace.ts'
import { ms, percentile, printTable } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'
import { openTailWorld, type StoreRequests } from './world.ts'

/** The paces of the stream tail are both counted on the embedded store, which has one shard. */
const WAYS: readonly { readonly name: string; readonly pace: ReadPace | undefined }[] = [
  { name: 'partition', pace: undefined },
  { name: 'dynamodb-streams, pace local', pace: LOCAL_PACE },
  { name: 'dynamodb-streams, pace aws', pace: AWS_PACE },
]
const STREAMS: readonly number[] = inShort([1, 20], [1, 2])
/** Two minutes without a call: from then on a stream is as quiet as it gets. */
const SETTLED_TICKS = inShort(16, 2)
/** Ten minutes, of which an hour has six; one in a short run. */
const COUNTED_TICKS = inShort(80, 8)
const PER_HOUR = inShort(6, 60)
/** Time from a request's acceptance to its reply. */
const WORK_MS = 20
const WAITS = inShort(25, 2)
/** A pause before each call, so that it falls anywhere between two polls. */
const OFF_BEAT_MS = 247
const OFF_BEATS_MS = 1_009

export async function measureHours(): Promise<void> {
  const rows = []
  for (const { name, pace } of WAYS) {
    for (const streams of STREAMS) {
      const [quiet, busy] = await countHours(pace, streams)
      rows.push([name, streams, ...quiet, ...busy])
    }
  }
  const of = ['of the table', 'RRU', 'of the stream']
  const busy = of.map((column) => `a call each 7.5 s: ${column}`)
  printTable(
    ['asked in an hour (counted)', 'streams', ...of.map((it) => `quiet: ${it}`), ...busy],
    rows,
  )
}

export async function measureWaits(): Promise<void> {
  const waits = []
  for (const { name, pace } of WAYS) {
    waits.push([name, ...(await countWaits(pace, 0)), ...(await countWaits(pace, SETTLED_TICKS))])
  }
  const both = ['p50 ms', 'p99']
  printTable(
    [
      'reply written → reported (counted)',
      ...both.map((it) => `a call each 2 to 3 s: ${it}`),
      ...both.map((it) => `after two quiet minutes: ${it}`),
    ],
    waits,
  )
}

type Hour = readonly [table: number, units: number, stream: number]

async function countHours(
  pace: ReadPace | undefined,
  streams: number,
): Promise<readonly [quiet: Hour, busy: Hour]> {
  const world = await openTailWorld(pace, streams)
  const writeTokens: StoreRequests[] = []
  try {
    await world.run(async (agent, isFirst) => {
      for (const [ticks, workMs] of [
        [SETTLED_TICKS],
        [COUNTED_TICKS],
        [COUNTED_TICKS, WORK_MS],
      ] as const) {
        for (let tick = 0; tick < ticks; tick += 1) await agent.tick(workMs)
        if (isFirst) writeTokens.push({ ...world.requests })
      }
    })
    return [
      hourBetween(writeTokens[0], writeTokens[1]),
      hourBetween(writeTokens[1], writeTokens[2]),
    ]
  } finally {
    await world.stop()
  }
}

function hourBetween(from: StoreRequests | undefined, to: StoreRequests | undefined): Hour {
  if (from === undefined || to === undefined) throw new Error('a script did not end')
  const { stream, table, units } = to
  const requests = [table - from.table, units - from.units, stream - from.stream]
  const [ofTable = 0, rru = 0, ofStream = 0] = requests.map((many) => many * PER_HOUR)
  return [ofTable, rru, ofStream]
}

/** One stream, each call after so many ticks without one. */
async function countWaits(
  pace: ReadPace | undefined,
  ticksBefore: number,
): Promise<readonly string[]> {
  const world = await openTailWorld(pace, 1)
  const waits: number[] = []
  try {
    await world.run(async (agent) => {
      for (let call = 0; call < WAITS; call += 1) {
        for (let tick = 0; tick < ticksBefore; tick += 1) await agent.tick(undefined)
        await agent.rest((call * OFF_BEAT_MS) % OFF_BEATS_MS)
        waits.push(await agent.call(WORK_MS))
      }
    })
    return [ms(percentile(waits, 50)), ms(percentile(waits, 99))]
  } finally {
    await world.stop()
  }
}
