/**
 * Reads the committed figures of the model: prices.json and measured.json, and what a stage
 * deploys.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getMemoryMb } from '../door-sizes.ts'
import type { Door } from '../doors.ts'
import { STAGE_FIELDS } from '../stage.ts'
import { getStage } from '../stages.ts'
import type { IdlePrices } from './idle.ts'
import type { Mix } from './mix.ts'
import type { ColdStart, Costing, MeasuredWays, Prices, SweepEntryUse, Units } from './model.ts'
import type { HourPrices, TableBounds } from './provisioned.ts'
import type { UsagePrices } from './usage.ts'

type ManagedPrices = {
  readonly usd: {
    /** Dollars for a million calls of tools of the gateway that AWS manages. */
    readonly managedCallsPerMillion: number
    /** Dollars for a million decisions of its policy engine, one for each call. */
    readonly managedDecisionsPerMillion: number
  }
}

export type PriceFile = Prices &
  IdlePrices &
  UsagePrices &
  ManagedPrices & { readonly usd: HourPrices }

export type MeasuredFile = {
  readonly date: string
  readonly command: string
  readonly machine: string
  readonly ways: MeasuredWays
  readonly cold: { readonly [door in Door]?: ColdStart }
  readonly idleSweep: Units
  readonly sweepEntry: SweepEntryUse
  readonly streamHour: { readonly sse: Units; readonly listen: Units }
}

// The casts are safe: test/lib/cost.test.ts reads every field of both files.
export const readPrices = (): PriceFile => readFile('prices.json')
export const readMeasured = (): MeasuredFile => readFile('measured.json')

const PROD = getStage('prod')
/** How long a stage keeps logs and its archive, and which calls are logged. */
const { archiveDays, callLogSampling, logRetentionDays } = PROD
export const ARCHIVE_DAYS = archiveDays

export const MEMORY_MB: { readonly [door in Door]: number } = {
  sse: getMemoryMb(PROD, 'sse'),
  messages: getMemoryMb(PROD, 'messages'),
  mcp: getMemoryMb(PROD, 'mcp'),
  execute: getMemoryMb(PROD, 'execute'),
  admin: getMemoryMb(PROD, 'admin'),
  sweep: getMemoryMb(PROD, 'sweep'),
  usage: getMemoryMb(PROD, 'usage'),
}

const UNITS_MAX = STAGE_FIELDS.tableUnitsPerSec.max

/** Limits of a provisioned Gateway table, in units a second. */
export const TABLE_BOUNDS: TableBounds = {
  min: PROD.provisionedUnitsMin,
  max: PROD.tableUnitsPerSec ?? { write: UNITS_MAX, read: UNITS_MAX },
}

/** Returns everything that the model needs for a mix. */
export function toCosting(mix: Mix, prices: PriceFile, measured: MeasuredFile): Costing {
  const { cold, sweepEntry, ways } = measured
  return {
    mix,
    prices,
    memoryMb: MEMORY_MB,
    ways,
    cold,
    sweepEntry,
    logRetentionDays,
    callLogSampling,
    gateway: prices.usd,
  }
}

function readFile<T>(file: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))
}
