/**
 * Advises how to pay a Gateway table: what the units of some measured days cost on demand and
 * provisioned, with the least capacity that would have served them, and what such a table refuses.
 * Pure. Bound by ADR 0078 and ADR 0134.
 */
import type { Capacity, UnitsPerSec } from '../stage.ts'
import { SCALING_ALARMS, TARGET_PERCENT } from '../table-scaling.ts'
import { type Bounds, type CapacityDay, simulateJump, simulateMinutes } from './capacity.ts'
import { UNKNOWN_KEY_READ_UNITS } from './flood.ts'
import { HOURS_PER_MONTH } from './mix.ts'
import type { UnitPrices } from './model.ts'
import type { HourPrices } from './provisioned.ts'

export type Kind = keyof UnitsPerSec

/** Units of the table in each minute, of whole hours. */
export type Consumption = { readonly [kind in Kind]: readonly number[] }

export type AdvicePrices = {
  readonly usd: UnitPrices & HourPrices & { readonly alarmPerMonth: number }
}

export type KindAdvice = {
  readonly taken: number
  /** Units a second of the busiest minute. */
  readonly busiestPerSec: number
  /** The smallest least capacity with which at most {@link REFUSED_MAX} is refused. */
  readonly leastPerSec: number
  /** Share of the units that such a table refuses, 0 to 1. */
  readonly refused: number
  readonly provisionedUsd: number
}

export type CapacityAdvice = {
  readonly hours: number
  readonly choice: Capacity
  readonly onDemandUsd: number
  /** With the alarms of the scaling. */
  readonly provisionedUsd: number
  readonly kinds: { readonly [kind in Kind]: KindAdvice }
  /** Shares of the writes that are refused for ten minutes if the busiest load grows so much. */
  readonly jumps: readonly { readonly times: number; readonly refused: number }[]
  /** Share of the reads that are refused for ten minutes while strangers send unknown keys. */
  readonly strangers: { readonly keysPerSec: number; readonly refused: number }
}

/** The largest share of refused units with which a table is advised: one in a thousand. */
const REFUSED_MAX = 0.001
/** Units that a call takes at once, rounded up (docs/data-model.md, What it costs). */
const UNITS_PER_CALL: UnitsPerSec = { write: 4, read: 3 }
const JUMPS = [2, 4, 10] as const
const STRANGERS_PER_SEC = 100
const MINUTES_PER_HOUR = 60
const SEC_PER_MINUTE = 60
const MILLION = 1e6

/** `max` is the most that the stage lets the table grow to. Simulates the time some ten times. */
export function adviseCapacity(
  consumption: Consumption,
  max: UnitsPerSec,
  { usd }: AdvicePrices,
): CapacityAdvice {
  const hours = consumption.write.length / MINUTES_PER_HOUR
  const kinds = {
    write: adviseKind('write', consumption, max, usd.writeUnitHour),
    read: adviseKind('read', consumption, max, usd.readUnitHour),
  }
  const alarmsUsd = (SCALING_ALARMS * usd.alarmPerMonth * hours) / HOURS_PER_MONTH
  const provisionedUsd = kinds.write.provisionedUsd + kinds.read.provisionedUsd + alarmsUsd
  const onDemandUsd =
    (kinds.write.taken * usd.writePerMillionUnits + kinds.read.taken * usd.readPerMillionUnits) /
    MILLION
  const holds = kinds.write.refused <= REFUSED_MAX && kinds.read.refused <= REFUSED_MAX
  const jump = (kind: Kind, times: number) =>
    simulateJump(
      times,
      toBusiestLoad(kind, kinds[kind]),
      toBounds(kind, kinds[kind].leastPerSec, max),
    )
  const strangers = STRANGERS_PER_SEC * UNKNOWN_KEY_READ_UNITS
  const readPerSec = Math.max(1, kinds.read.busiestPerSec)
  return {
    hours,
    choice: holds && provisionedUsd < onDemandUsd ? 'provisioned' : 'on-demand',
    onDemandUsd,
    provisionedUsd,
    kinds,
    jumps: JUMPS.map((times) => ({ times, refused: jump('write', times) })),
    strangers: {
      keysPerSec: STRANGERS_PER_SEC,
      refused: jump('read', (readPerSec + strangers) / readPerSec),
    },
  }
}

function adviseKind(
  kind: Kind,
  consumption: Consumption,
  max: UnitsPerSec,
  usdPerUnitHour: number,
): KindAdvice {
  const unitsOfMinutes = consumption[kind]
  const load = { unitsOfMinutes, unitsPerCall: UNITS_PER_CALL[kind] }
  const simulate = (least: number) => simulateMinutes(load, toBounds(kind, least, max))
  const { day, least } = findLeast(simulate, listLeasts(max[kind]))
  return {
    taken: unitsOfMinutes.reduce((sum, units) => sum + units, 0),
    busiestPerSec:
      unitsOfMinutes.reduce((most, units) => Math.max(most, units), 0) / SEC_PER_MINUTE,
    leastPerSec: least,
    refused: toRefusedShare(day),
    provisionedUsd: day.unitHours * usdPerUnitHour,
  }
}

/** Searches by halves, because more capacity never refuses more. */
function findLeast(
  simulate: (least: number) => CapacityDay,
  leasts: readonly number[],
): { readonly least: number; readonly day: CapacityDay } {
  let [from, to] = [0, leasts.length - 1]
  let found: { readonly least: number; readonly day: CapacityDay } | undefined
  while (from < to) {
    const at = Math.floor((from + to) / 2)
    const least = leasts[at] ?? 1
    const day = simulate(least)
    if (toRefusedShare(day) <= REFUSED_MAX) {
      found = { least, day }
      to = at
    } else {
      from = at + 1
    }
  }
  const least = leasts[from] ?? 1
  return found?.least === least ? found : { least, day: simulate(least) }
}

const STEPS = [1, 1.5, 2, 3, 5, 7] as const
/** Below it auto scaling reacts to single calls. */
const LEAST_MIN = 5

/** Round numbers from 5 to the most of the table, each some 40 % above the one before. */
function listLeasts(max: number): readonly number[] {
  const all: number[] = []
  for (let ten = 1; ten <= max; ten *= 10)
    for (const step of STEPS) {
      const one = Math.round(ten * step)
      if (one >= LEAST_MIN && one < max && one !== all.at(-1)) all.push(one)
    }
  return [...all, max]
}

function toBounds(kind: Kind, least: number, max: UnitsPerSec): Bounds {
  return { min: least, max: max[kind], targetPercent: TARGET_PERCENT[kind] }
}

function toBusiestLoad(kind: Kind, { busiestPerSec }: KindAdvice) {
  const unitsPerCall = UNITS_PER_CALL[kind]
  const callsPerSec = Math.max(1, busiestPerSec) / unitsPerCall
  return { unitsPerCall, callsPerSecAt: () => callsPerSec }
}

function toRefusedShare({ refused, taken }: CapacityDay): number {
  return refused === 0 ? 0 : refused / (refused + taken)
}
