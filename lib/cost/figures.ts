/** The committed figures of the model: prices.json and measured.json, and what a stage deploys. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOOR_SIZES } from '../door-sizes.ts'
import type { Door } from '../doors.ts'
import { stageNamed } from '../stages.ts'
import type { IdlePrices, SweepUnits } from './idle.ts'
import type { Mix } from './mix.ts'
import type { ColdStart, Costing, MeasuredWays, Prices, SweepEntryUse } from './model.ts'
import type { UsagePrices } from './usage.ts'

export type PriceFile = Prices & IdlePrices & UsagePrices

export type MeasuredFile = {
  readonly date: string
  readonly command: string
  readonly machine: string
  readonly ways: MeasuredWays
  readonly cold: { readonly [door in Door]?: ColdStart }
  readonly idleSweep: SweepUnits
  readonly sweepEntry: SweepEntryUse
  readonly streamHour: { readonly sse: SweepUnits; readonly listen: SweepUnits }
}

export const MEMORY_MB: { readonly [door in Door]: number } = {
  sse: DOOR_SIZES.sse.memoryMb,
  messages: DOOR_SIZES.messages.memoryMb,
  mcp: DOOR_SIZES.mcp.memoryMb,
  execute: DOOR_SIZES.execute.memoryMb,
  admin: DOOR_SIZES.admin.memoryMb,
  sweep: DOOR_SIZES.sweep.memoryMb,
  usage: DOOR_SIZES.usage.memoryMb,
}

// The casts are safe: test/lib/cost.test.ts reads every field of both files.
export const readPrices = (): PriceFile => readFile('prices.json')
export const readMeasured = (): MeasuredFile => readFile('measured.json')

/** How long a stage keeps calls in the table, and logs. */
const { ledgerHotDays, logRetentionDays } = stageNamed('prod')
export const HOT_DAYS = ledgerHotDays

export function costingOf(mix: Mix, prices: PriceFile, measured: MeasuredFile): Costing {
  const { cold, sweepEntry, ways } = measured
  return { mix, prices, memoryMb: MEMORY_MB, ways, cold, sweepEntry, logRetentionDays }
}

function readFile<T>(file: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))
}
