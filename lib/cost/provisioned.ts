/**
 * Computes the price of a unit of a provisioned Gateway table: the cost of its capacity in a month,
 * divided by the units that a mix uses. Pure.
 */
import type { UnitsPerSec } from '../stage.ts'
import { SCALING_ALARMS, TARGET_PERCENT } from '../table-scaling.ts'
import {
  type Bounds,
  type CapacityDay,
  type Load,
  SEC_PER_DAY,
  simulateDay,
  simulateJump,
} from './capacity.ts'
import { countCallsPerMonth, HOURS_PER_MONTH, type Mix } from './mix.ts'
import type { UnitPrices, Units } from './model.ts'

export type HourPrices = { readonly writeUnitHour: number; readonly readUnitHour: number }

export type TableBounds = { readonly min: UnitsPerSec; readonly max: UnitsPerSec }

export type ProvisionedTable = {
  readonly prices: UnitPrices
  /** Average capacity in units a second, each hour by its largest. */
  readonly capacity: UnitsPerSec
  /** Share of the capacity that is used, 0 to 1. */
  readonly used: { readonly write: number; readonly read: number }
  /** Share of the requests of a usual day that are throttled. */
  readonly refused: number
  /**
   * Returns the same share, for writes, in the ten minutes after the busiest load has suddenly
   * grown to `times` its size. Simulates a day.
   */
  readonly refusedAfterJump: (times: number) => number
}

const HOURS_PER_DAY = 24
const SEC_PER_HOUR = 3_600
const MILLION = 1e6
const JUMPS = [2, 4, 10] as const

export function priceProvisionedTable(
  mix: Mix,
  { readUnits, writeUnits }: Units,
  { max, min }: TableBounds,
  usd: HourPrices,
): ProvisionedTable {
  const callsPerSecAt = createDayOfCalls(mix)
  const bounds = (kind: keyof UnitsPerSec): Bounds => ({
    min: min[kind],
    max: max[kind],
    targetPercent: TARGET_PERCENT[kind],
  })
  const loads = {
    write: { callsPerSecAt, unitsPerCall: writeUnits },
    read: { callsPerSecAt, unitsPerCall: readUnits },
  }
  const write = simulateDay(loads.write, bounds('write'))
  const read = simulateDay(loads.read, bounds('read'))
  const steady = { ...loads.write, callsPerSecAt: () => computeMeanCallsPerSec(mix) * mix.peak }
  return {
    prices: {
      writePerMillionUnits: toPricePerMillion(write, usd.writeUnitHour),
      readPerMillionUnits: toPricePerMillion(read, usd.readUnitHour),
    },
    capacity: { write: write.unitHours / HOURS_PER_DAY, read: read.unitHours / HOURS_PER_DAY },
    used: { write: toUsedShare(write), read: toUsedShare(read) },
    refused: toRefusedShare([write, read]),
    refusedAfterJump: (times) => simulateJump(times, steady, bounds('write')),
  }
}

/** Returns the dollars of a month without calls. */
export function computeIdleTableUsd(
  { read, write }: UnitsPerSec,
  { usd }: { readonly usd: HourPrices & { readonly alarmPerMonth: number } },
): number {
  const hourUsd = write * usd.writeUnitHour + read * usd.readUnitHour
  return HOURS_PER_MONTH * hourUsd + SCALING_ALARMS * usd.alarmPerMonth
}

/**
 * Returns the average while users call. A mix of fewer hours than a month's has its calls at the
 * beginning of each day.
 */
function computeMeanCallsPerSec(mix: Mix): number {
  return countCallsPerMonth(mix) / (mix.hours * SEC_PER_HOUR)
}

function createDayOfCalls(mix: Mix): Load['callsPerSecAt'] {
  const mean = computeMeanCallsPerSec(mix)
  const busySec = Math.min(1, mix.hours / HOURS_PER_MONTH) * SEC_PER_DAY
  return (second) => {
    if (second >= busySec) return 0
    return mean * (1 - (mix.peak - 1) * Math.cos((2 * Math.PI * second) / busySec))
  }
}

function toPricePerMillion({ taken, unitHours }: CapacityDay, usdPerUnitHour: number): number {
  return (unitHours * usdPerUnitHour * MILLION) / taken
}

function toUsedShare({ taken, unitHours }: CapacityDay): number {
  return taken / (unitHours * SEC_PER_HOUR)
}

function toRefusedShare(days: readonly CapacityDay[]): number {
  const shares = days.map(({ refused, taken }) => refused / (refused + taken))
  return Math.max(...shares)
}

export function formatProvisioned(name: string, table: ProvisionedTable): readonly string[] {
  const { capacity, refused, used } = table
  const units = (kind: keyof UnitsPerSec) =>
    `${Math.round(capacity[kind]).toLocaleString('en')} ${kind} units a second, ${formatPercent(used[kind])} of them used`
  const grown = JUMPS.map(
    (times) => `${formatPercent(table.refusedAfterJump(times))} (${times} times)`,
  )
  return [
    `The Gateway table is provisioned, for ${name} with ${units('write')}, and ${units('read')}.`,
    `It refuses ${formatPercent(refused)} of the requests of a usual day, and in the ten minutes after the busiest load has grown at once ${grown.join(', ')}.`,
  ]
}

function formatPercent(share: number): string {
  const shown = share * 100
  return `${shown.toFixed(shown > 0 && shown < 1 ? 2 : 0)} %`
}
