/**
 * `npm run cost`: the price of a million calls through each function, and of an hour of an open
 * stream, from counted units, measured times and logged bytes, with the prices of
 * scripts/cost/prices.json. Exits with 1 when a function costs more than USD_PER_MILLION_MAX. Needs
 * the bundles and the runtime client.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countIdle, type IdleHour } from '../bench/stream/idle.ts'
import { countListening } from '../bench/stream/idle-listen.ts'
import { DOOR_SIZES } from '../lib/door-sizes.ts'
import { countIdleSweep, type IdlePrices, idleMonth } from './cost/idle.ts'
import { measureCalls } from './cost/measured.ts'
import {
  billedMs,
  type CostItem,
  costOf,
  type FunctionUse,
  type Prices,
  streamHourOf,
  totalOf,
} from './cost/model.ts'

/** The price of a managed gateway for a million calls. */
const USD_PER_MILLION_MAX = 5
const USD_PER_MILLION_GOAL = 4
/** Streams end at the first quiet moment after minute 13. */
const OPENS_PER_HOUR = 60 / 13
const HOUR_MS = 3_600_000
/** A call uses two or three functions; the limit applies to each. */
const WHOLE_CALLS = {
  sse: 'a call over SSE, all three doors',
  mcp: 'a call over Streamable HTTP, both doors',
}
const MEMORY_MB = {
  sse: DOOR_SIZES.sse.memoryMb,
  messages: DOOR_SIZES.messages.memoryMb,
  mcp: DOOR_SIZES.mcp.memoryMb,
  execute: DOOR_SIZES.execute.memoryMb,
  admin: DOOR_SIZES.admin.memoryMb,
  sweep: DOOR_SIZES.sweep.memoryMb,
}

type PriceFile = Prices &
  IdlePrices & {
    readonly region: string
    readonly date: string
    readonly assumptions: { readonly upstreamMs: number }
  }

async function cost(): Promise<void> {
  const file = join(import.meta.dirname, 'cost/prices.json')
  // The cast is safe: test/scripts/cost.test.ts reads every field of the file.
  const prices = JSON.parse(readFileSync(file, 'utf8')) as PriceFile
  const { assumptions } = prices
  console.log(
    `Prices of ${prices.region}, ${prices.date}; upstream ${assumptions.upstreamMs} ms; ` +
      'free tiers left out.\n',
  )
  const { rest, sse, mcp } = await measureCalls(assumptions.upstreamMs, MEMORY_MB)
  printUses(
    [...named(rest, 'by itself'), ...named(sse, 'over SSE'), ...named(mcp, 'over HTTP')],
    prices,
  )
  const doors: readonly (readonly [string, readonly FunctionUse[]])[] = [
    ['execute (REST)', rest],
    ...partsOf(sse, 'SSE'),
    [WHOLE_CALLS.sse, sse],
    ...partsOf(mcp, 'Streamable HTTP'),
    [WHOLE_CALLS.mcp, mcp],
  ]
  for (const [door, uses] of doors) printCost(door, costOf(uses, prices))
  printIdle(prices, await countIdleSweep())
  printHour('an open SSE stream', MEMORY_MB.sse, await countIdle(HOUR_MS), prices)
  printHour('an open listen stream', MEMORY_MB.mcp, await countListening(HOUR_MS), prices)
}

function named(uses: readonly FunctionUse[], suffix: string): readonly FunctionUse[] {
  return uses.map((use) => ({ ...use, door: `${use.door}, ${suffix}` }))
}

function partsOf(
  uses: readonly FunctionUse[],
  transport: string,
): readonly (readonly [string, readonly FunctionUse[]])[] {
  return uses.map((use) => [`${use.door} (its part of a call over ${transport})`, [use]])
}

function printUses(uses: readonly FunctionUse[], prices: Prices): void {
  console.log(
    '| per call | invocations | MB | measured ms | CPU ms | billed ms | WRU | RRU | log bytes |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const use of uses) {
    const cells = [
      use.invocations.toFixed(2),
      use.memoryMb,
      use.measuredMs.toFixed(1),
      use.cpuMs.toFixed(1),
      billedMs(use, prices).toFixed(1),
      use.writeUnits.toFixed(2),
      use.readUnits.toFixed(2),
      use.logBytes.toFixed(0),
    ]
    console.log(`| ${use.door} | ${cells.join(' | ')} |`)
  }
}

function printCost(door: string, items: readonly CostItem[]): void {
  const total = totalOf(items)
  console.log(`\n| ${door} | $ per million calls | share |\n| --- | ---: | ---: |`)
  for (const { item, usdPerMillion } of items) {
    const share = ((100 * usdPerMillion) / total).toFixed(0)
    console.log(`| ${item} | ${usdPerMillion.toFixed(2)} | ${share} % |`)
  }
  console.log(`| **sum** | **${total.toFixed(2)}** | ${verdict(total)} |`)
  const isWhole = Object.values(WHOLE_CALLS).includes(door)
  if (!isWhole && total > USD_PER_MILLION_MAX) process.exitCode = 1
}

function verdict(total: number): string {
  if (total <= USD_PER_MILLION_GOAL) return `within the goal of ${USD_PER_MILLION_GOAL}`
  return total <= USD_PER_MILLION_MAX
    ? `within ${USD_PER_MILLION_MAX}, past the goal of ${USD_PER_MILLION_GOAL}`
    : `PAST ${USD_PER_MILLION_MAX}`
}

function printIdle(prices: IdlePrices, sweep: Parameters<typeof idleMonth>[0]): void {
  const { items, usd } = idleMonth(sweep, prices)
  console.log('\n| a stage that nobody calls, per month | $ |\n| --- | ---: |')
  for (const { item, usd: one } of items) console.log(`| ${item} | ${one.toFixed(2)} |`)
  console.log(`| **sum** | **${usd.toFixed(2)}** |`)
}

function printHour(
  title: string,
  memoryMb: number,
  { readUnits, writeUnits }: Pick<IdleHour, 'readUnits' | 'writeUnits'>,
  prices: Prices,
): void {
  const items = streamHourOf({ memoryMb, readUnits, writeUnits, opens: OPENS_PER_HOUR }, prices)
  console.log(`\n| ${title}, per hour | $ | share |\n| --- | ---: | ---: |`)
  const total = totalOf(items)
  for (const { item, usdPerMillion: usd } of items) {
    console.log(`| ${item} | ${usd.toFixed(6)} | ${((100 * usd) / total).toFixed(0)} % |`)
  }
  console.log(`| **sum** | **${total.toFixed(6)}** | |`)
}

if (import.meta.main) await cost()
