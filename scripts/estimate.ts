/**
 * `node scripts/estimate.ts`: what a stage will cost, without calls and for a million of them, from the figures of the last
 * `npm run cost` (scripts/cost/recorded.json), which measures for two minutes.
 */
import './help.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type IdlePrices, idleMonth, type SweepUnits } from './cost/idle.ts'

type CostFigures = {
  readonly date: string
  readonly idleSweep: SweepUnits
  readonly usdPerMillionCalls: { readonly [way: string]: number }
}

export function estimateLines(
  { date, idleSweep, usdPerMillionCalls }: CostFigures,
  prices: IdlePrices & { readonly region: string },
): readonly string[] {
  const ways = Object.entries(usdPerMillionCalls).map(
    ([way, usd]) => `  ${`a million calls, ${way}`.padEnd(36)}  $${usd.toFixed(2)}`,
  )
  const idle = idleMonth(idleSweep, prices).usd.toFixed(2)
  return [
    `What it costs, by prices of ${prices.region}, before taxes and free tiers (${date}):`,
    `  ${'a month without calls'.padEnd(36)}  $${idle}`,
    ...ways,
    '  Open streams and stored gigabytes come on top; npm run cost tells it by item.',
  ]
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'cost', file), 'utf8'))
}

if (import.meta.main) {
  console.log(estimateLines(read('recorded.json'), read('prices.json')).join('\n'))
}
