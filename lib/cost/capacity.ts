/**
 * Simulates a provisioned table: what it serves, refuses and costs on a day of a load, second by
 * second, by the rules of DynamoDB's auto scaling; or in minutes whose load was measured. Pure, with a
 * fixed seed. Rules:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html (two minutes
 * above the target, fifteen below the target less 20 points) and .../burst-adaptive-capacity.html
 * (300 s of unused capacity).
 */
import { createRandom } from './seeded.ts'

/** Limits of the capacity, in units a second. */
export type Bounds = { readonly min: number; readonly max: number; readonly targetPercent: number }

export type Load = {
  /** Returns the average calls a second at that second of the day; the calls arrive at random. */
  readonly callsPerSecAt: (second: number) => number
  readonly unitsPerCall: number
}

export type CapacityDay = {
  /** The sum of hours, each with the largest capacity that it had. */
  readonly unitHours: number
  readonly taken: number
  /** Units that were throttled: DynamoDB answers `ProvisionedThroughputExceededException`. */
  readonly refused: number
}

type Table = { capacity: number; saved: number }

export const SEC_PER_DAY = 86_400
const SEC_PER_MINUTE = 60
const SEC_PER_HOUR = 3_600
const BURST_SEC = 300
/**
 * A rise follows two minutes above the target, and takes another one until the table has its new
 * capacity.
 */
const RISE_MINUTES = 2
const RISE_DELAY_MINUTES = 1
const FALL_MINUTES = 15
const FALL_BELOW_POINTS = 20
/** Falls that a day may have at any time; further falls only an hour after the last. */
const FALLS_PER_DAY = 4

/** Simulates two such days and returns the second, which does not begin with the least capacity. */
export function simulateDay(load: Load, bounds: Bounds): CapacityDay {
  const table = simulateTable(bounds)
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  const before = table.sums()
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  return subtractDays(table.sums(), before)
}

/** Loads of a table by the minute, one after the other. */
export type MeasuredLoad = {
  readonly unitsOfMinutes: readonly number[]
  /** Units that come at once, because one call takes them. */
  readonly unitsPerCall: number
}

/**
 * Simulates these minutes, after a first day of them that is not counted, and with calls at random
 * within each minute.
 */
export function simulateMinutes(
  { unitsOfMinutes, unitsPerCall }: MeasuredLoad,
  bounds: Bounds,
): CapacityDay {
  const table = simulateTable(bounds)
  const callsPerSecAt = (second: number) =>
    (unitsOfMinutes[Math.floor(second / SEC_PER_MINUTE)] ?? 0) / SEC_PER_MINUTE / unitsPerCall
  const load = { callsPerSecAt, unitsPerCall }
  const seconds = unitsOfMinutes.length * SEC_PER_MINUTE
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second % seconds)
  const before = table.sums()
  for (let second = 0; second < seconds; second += 1) table.take(load, second)
  return subtractDays(table.sums(), before)
}

function subtractDays(after: CapacityDay, before: CapacityDay): CapacityDay {
  return {
    unitHours: after.unitHours - before.unitHours,
    taken: after.taken - before.taken,
    refused: after.refused - before.refused,
  }
}

/**
 * Returns the share of requests that are refused in the ten minutes after a load has suddenly grown
 * to `times` its size.
 */
export function simulateJump(times: number, load: Load, bounds: Bounds): number {
  const table = simulateTable(bounds)
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  const before = table.sums()
  const grown = { ...load, callsPerSecAt: (second: number) => times * load.callsPerSecAt(second) }
  for (let second = 0; second < JUMP_SEC; second += 1) table.take(grown, second)
  const after = table.sums()
  const refused = after.refused - before.refused
  return refused / (refused + after.taken - before.taken)
}

const JUMP_SEC = 600

function simulateTable(bounds: Bounds) {
  const random = createRandom(1)
  const table: Table = { capacity: bounds.min, saved: 0 }
  const scaling = createScaling(bounds)
  let [now, hourMost, minuteTaken] = [0, 0, 0]
  let [unitHours, taken, refused] = [0, 0, 0]
  return {
    take({ callsPerSecAt, unitsPerCall }: Load, second: number): void {
      const wanted = drawArrivals(callsPerSecAt(second), random) * unitsPerCall
      const has = table.capacity + table.saved
      const given = Math.min(wanted, has)
      table.saved = Math.min(BURST_SEC * table.capacity, has - given)
      taken += given
      refused += wanted - given
      minuteTaken += given
      hourMost = Math.max(hourMost, table.capacity)
      now += 1
      if (now % SEC_PER_MINUTE === 0) {
        table.capacity = scaling(minuteTaken / SEC_PER_MINUTE, table.capacity)
        minuteTaken = 0
      }
      if (now % SEC_PER_HOUR === 0) {
        unitHours += hourMost
        hourMost = 0
      }
    },
    sums: (): CapacityDay => ({ unitHours, taken, refused }),
  }
}

/**
 * Returns the capacity of the next minute, from the units a second that the table served in this
 * minute.
 */
type Scaling = (units: number, capacity: number) => number

function createScaling(bounds: Bounds): Scaling {
  const rising = createRises(bounds)
  const falling = createFalls(bounds)
  return (units, capacity) => {
    const fallen = falling(units, capacity)
    const risen = rising(units, capacity)
    return risen > capacity ? risen : fallen
  }
}

function createRises(bounds: Bounds): Scaling {
  let above = 0
  let rise: { readonly inMinutes: number; readonly capacity: number } | undefined
  return (units, capacity) => {
    if (rise?.inMinutes === 1) {
      const risen = rise.capacity
      rise = undefined
      above = 0
      return Math.max(capacity, risen)
    }
    if (rise !== undefined) rise = { ...rise, inMinutes: rise.inMinutes - 1 }
    above = usedPercent(units, capacity) > bounds.targetPercent ? above + 1 : 0
    if (above === RISE_MINUTES)
      rise = { inMinutes: RISE_DELAY_MINUTES, capacity: toCapacity(units, bounds) }
    return capacity
  }
}

function createFalls(bounds: Bounds): Scaling {
  let [minute, below, today, last] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  return (units, capacity) => {
    minute += 1
    if (minute % MINUTES_PER_DAY === 0) today = 0
    below = usedPercent(units, capacity) < bounds.targetPercent - FALL_BELOW_POINTS ? below + 1 : 0
    const mayFall = today < FALLS_PER_DAY || minute - last >= MINUTES_PER_HOUR
    if (below < FALL_MINUTES || !mayFall) return capacity
    const fallen = Math.min(capacity, toCapacity(units, bounds))
    if (fallen < capacity) {
      today += 1
      last = minute
    }
    below = 0
    return fallen
  }
}

function usedPercent(units: number, capacity: number): number {
  return (units * 100) / capacity
}

function toCapacity(units: number, { max, min, targetPercent }: Bounds): number {
  return Math.min(max, Math.max(min, Math.ceil((units * 100) / targetPercent)))
}

const MINUTES_PER_HOUR = 60
const MINUTES_PER_DAY = 1_440
/**
 * From this mean on a normal distribution is close enough to Poisson's, whose product would
 * underflow.
 */
const NORMAL_FROM = 50

/**
 * Draws the calls of one second from a Poisson distribution: calls of many users, each independent
 * of the others.
 */
function drawArrivals(mean: number, random: () => number): number {
  if (mean >= NORMAL_FROM) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
  }
  const least = Math.exp(-mean)
  let [count, product] = [0, random()]
  while (product > least) {
    count += 1
    product *= random()
  }
  return count
}
