/**
 * `npm run scale`: which partition key of the store reaches its limit first as a stage grows, and at what load. Runs small samples
 * of the real flows on the embedded store, counts the units of each partition key, and multiplies what grows. A minute.
 *
 *   --users N                      users who call (100,000)
 *   --calls-per-minute N           calls of each of them, over POST /mcp (1)
 *   --streams N, or --listens N    open subscriptions/listen streams (10,000)
 *   --sse N                        open HTTP+SSE streams (2,000)
 *   --hot-user-calls-per-second N  calls of one user more (100)
 *   --upstream-ms N                time of an upstream (300)
 */
import './help.ts'
import { parseArgs } from 'node:util'
import { openSampler } from './scale/flows.ts'
import {
  callsPerSecondOf,
  entriesPerMinuteOf,
  firstSaturated,
  type Growths,
  loadOf,
  PARTITION_READS_MAX,
  PARTITION_WRITES_MAX,
  ratesAt,
  SWEPT_USERS,
} from './scale/keys.ts'
import { LOAD_OPTIONS, type Load, readLoad, timesLoad } from './scale/load.ts'
import { sampleGrowths } from './scale/sample.ts'

const PERCENT = 100

async function scale(load: Load): Promise<void> {
  const sampler = await openSampler()
  try {
    for (const line of scaleLines(load, await sampleGrowths(sampler))) console.log(line)
  } finally {
    await sampler.stop()
  }
}

export function scaleLines(load: Load, growths: Growths): readonly string[] {
  const first = firstSaturated(load, growths)
  const rates = ratesAt(load, growths)
  const entries = entriesPerMinuteOf(load)
  return [
    wordsOf(load),
    '',
    '| hottest key of | writes/s | reads/s | of the limit |',
    '| --- | ---: | ---: | ---: |',
    ...rates.map(
      (rate) =>
        `| \`${rate.pattern}\` | ${shown(rate.write)} | ${shown(rate.read)} | ${(PERCENT * loadOf(rate)).toFixed(1)} % |`,
    ),
    '',
    `A partition takes ${shown(PARTITION_WRITES_MAX)} write units and ${shown(PARTITION_READS_MAX)} read units a second. \`${first.pattern}\` is the first that`,
    `reaches its limit, at ${(PERCENT * first.factor).toFixed(1)} % of this load: ${wordsOf(timesLoad(load, first.factor))}`,
    `The sweep reaches ${shown(SWEPT_USERS)} users a minute; ${shown(entries)} have an entry in each.`,
  ]
}

function wordsOf(load: Load): string {
  return (
    `${shown(load.users)} users with ${load.callsPerMinute} calls a minute (${shown(callsPerSecondOf(load))} a second), ` +
    `${shown(load.listens)} listen streams, ${shown(load.sse)} SSE streams, one user with ${shown(load.hotCallsPerSecond)} calls a second.`
  )
}

function shown(value: number): string {
  const digits = value > 0 && value < 10 ? 2 : 0
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** Exits with 2 for wrong arguments. */
function loadFromArgs(): Load {
  const text = { type: 'string' } as const
  const options = Object.keys(LOAD_OPTIONS).map((option) => [option, text] as const)
  try {
    const { values } = parseArgs({ options: Object.fromEntries(options) })
    return readLoad(values)
  } catch (cause) {
    console.error(
      `scale: ${cause instanceof Error ? cause.message : cause}. See npm run scale -- --help`,
    )
    process.exit(2)
  }
}

if (import.meta.main) await scale(loadFromArgs())
