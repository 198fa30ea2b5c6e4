/**
 * `npm run cost [-- --calls 1000000]`: your bill on AWS for a month with so many calls, for each way of
 * calling and by item, from counted units, measured times and logged bytes, with the prices of
 * scripts/cost/prices.json (edit them for your region). Takes about two minutes.
 *
 *   --calls N     calls a month (1,000,000 unless told)
 *   --functions   instead, what a million calls cost in each function; exits with 1 past the limit of
 *                 docs/performance.md
 */
import './help.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countIdle, type IdleHour } from '../bench/stream/idle.ts'
import { countListening } from '../bench/stream/idle-listen.ts'
import { DOOR_SIZES } from '../lib/door-sizes.ts'
import { billLines, CALLS_MAX, readCalls } from './cost/bill.ts'
import { countIdleSweep, type IdlePrices, idleMonth, type MonthlyItem } from './cost/idle.ts'
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
import { newUsersUsd, type UsagePrices, usageMonth } from './cost/usage.ts'

/** The price of a managed gateway for a million calls. */
const USD_PER_MILLION_MAX = 5
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
  usage: DOOR_SIZES.usage.memoryMb,
}

type PriceFile = Prices &
  IdlePrices &
  UsagePrices & {
    readonly region: string
    readonly date: string
    readonly assumptions: { readonly upstreamMs: number }
  }

type Options = { readonly calls: number; readonly functions: boolean }

async function cost({ calls, functions }: Options): Promise<void> {
  const file = join(import.meta.dirname, 'cost/prices.json')
  // The cast is safe: test/scripts/cost.test.ts reads every field of the file.
  const prices = JSON.parse(readFileSync(file, 'utf8')) as PriceFile
  const { assumptions, date, region } = prices
  console.log(
    `Prices of ${region}, ${date}, before taxes and free tiers. ` +
      `The upstream answers after ${assumptions.upstreamMs} ms.\n`,
  )
  const uses = await measureCalls(assumptions.upstreamMs, MEMORY_MB)
  if (functions) printFunctions(uses, prices)
  else await printBill(calls, uses, prices)
  printHour('an open SSE stream', MEMORY_MB.sse, await countIdle(HOUR_MS), prices)
  printHour('an open listen stream', MEMORY_MB.mcp, await countListening(HOUR_MS), prices)
}

type MeasuredUses = Awaited<ReturnType<typeof measureCalls>>
async function printBill(
  calls: number,
  { mcp, rest, sse }: MeasuredUses,
  prices: PriceFile,
): Promise<void> {
  const idle = idleMonth(await countIdleSweep(), prices)
  const ways = [
    { name: 'POST /v1/execute', uses: rest },
    { name: 'Streamable HTTP', uses: mcp },
    { name: 'HTTP+SSE', uses: sse },
  ]
  const behind = usageMonth(calls, prices)
  const bill = { calls, ways, behindUsd: sumOf(behind), idleUsd: idle.usd }
  for (const line of billLines(bill, prices)) console.log(line)
  console.log('\nOpen streams and stored gigabytes come on top.')
  console.log(`A thousand new users are $${newUsersUsd(1_000, prices).toFixed(4)}, once.`)
  printMonth('behind the calls, however they come, per month', behind)
  printMonth('a stage that nobody calls, per month', idle.items)
}

function printFunctions({ mcp, rest, sse }: MeasuredUses, prices: PriceFile): void {
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
  console.log(`| **sum** | **${total.toFixed(2)}** | |`)
  const isWhole = Object.values(WHOLE_CALLS).includes(door)
  if (isWhole || total <= USD_PER_MILLION_MAX) return
  console.error(`${door}: is over ${USD_PER_MILLION_MAX} dollars per million calls`)
  process.exitCode = 1
}

function printMonth(title: string, items: readonly MonthlyItem[]): void {
  console.log(`\n| ${title} | $ |\n| --- | ---: |`)
  for (const { item, usd } of items) console.log(`| ${item} | ${usd.toFixed(2)} |`)
  console.log(`| **sum** | **${sumOf(items).toFixed(2)}** |`)
}

function sumOf(items: readonly MonthlyItem[]): number {
  return items.reduce((sum, { usd }) => sum + usd, 0)
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

/** Exits with 2 for wrong arguments. */
function readOptions(): Options {
  const text = { type: 'string', default: '1000000' } as const
  const options = { calls: text, functions: { type: 'boolean', default: false } } as const
  try {
    const { values } = parseArgs({ options })
    const calls = readCalls(values.calls)
    if (calls !== undefined) return { calls, functions: values.functions }
    throw new Error(`--calls: must be a whole number from 1 to ${CALLS_MAX}`)
  } catch (cause) {
    console.error(
      `cost: ${cause instanceof Error ? cause.message : cause}. See npm run cost -- --help`,
    )
    process.exit(2)
  }
}

if (import.meta.main) await cost(readOptions())
