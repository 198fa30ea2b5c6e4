/**
 * What a provisioned table takes, refuses and costs: a day of a load, second by second, by the rules of DynamoDB's auto scaling. Pure,
 * with a fixed seed. Rules: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html (two minutes above
 * the target, fifteen below the target less 20 points) and .../burst-adaptive-capacity.html (300 s of what was not used).
 */
import { seeded } from './seeded.ts'

/** Units a second. */
export type Bounds = { readonly min: number; readonly max: number; readonly targetPercent: number }

export type Load = {
  /** Calls a second on average at that second of the day; they come at random. */
  readonly callsPerSecAt: (second: number) => number
  readonly unitsPerCall: number
}

export type CapacityDay = {
  /** Each hour by the most that it had. */
  readonly unitHours: number
  readonly taken: number
  /** Throttled: DynamoDB answers `ProvisionedThroughputExceededException`. */
  readonly refused: number
}

type Table = { capacity: number; saved: number }

export const SEC_PER_DAY = 86_400
const SEC_PER_MINUTE = 60
const SEC_PER_HOUR = 3_600
const SAVED_SEC = 300
/** Two minutes above the target, and one until the table has its new capacity. */
const RISE_MINUTES = 2
const RISE_DELAY_MINUTES = 1
const FALL_MINUTES = 15
const FALL_BELOW_POINTS = 20
/** A day has four falls at any time, and more only an hour after the last. */
const FALLS_PER_DAY = 4

/** The second of two such days, so that it does not begin with the least capacity. */
export function dayOf(load: Load, bounds: Bounds): CapacityDay {
  const table = provisionedTable(bounds)
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  const before = table.sums()
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  const after = table.sums()
  return {
    unitHours: after.unitHours - before.unitHours,
    taken: after.taken - before.taken,
    refused: after.refused - before.refused,
  }
}

/** Share of the requests that are refused in the ten minutes after a load has grown at once to `times` of what it was. */
export function refusedAfterJump(times: number, load: Load, bounds: Bounds): number {
  const table = provisionedTable(bounds)
  for (let second = 0; second < SEC_PER_DAY; second += 1) table.take(load, second)
  const before = table.sums()
  const grown = { ...load, callsPerSecAt: (second: number) => times * load.callsPerSecAt(second) }
  for (let second = 0; second < JUMP_SEC; second += 1) table.take(grown, second)
  const after = table.sums()
  const refused = after.refused - before.refused
  return refused / (refused + after.taken - before.taken)
}

const JUMP_SEC = 600

function provisionedTable(bounds: Bounds) {
  const random = seeded(1)
  const table: Table = { capacity: bounds.min, saved: 0 }
  const scaling = scalingOf(bounds)
  let [now, hourMost, minuteTaken] = [0, 0, 0]
  let [unitHours, taken, refused] = [0, 0, 0]
  return {
    take({ callsPerSecAt, unitsPerCall }: Load, second: number): void {
      const wanted = arrivals(callsPerSecAt(second), random) * unitsPerCall
      const has = table.capacity + table.saved
      const given = Math.min(wanted, has)
      table.saved = Math.min(SAVED_SEC * table.capacity, has - given)
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

/** What a table has in the next minute, by the units a second that it took in this one. */
type Scaling = (units: number, capacity: number) => number

function scalingOf(bounds: Bounds): Scaling {
  const rising = risesOf(bounds)
  const falling = fallsOf(bounds)
  return (units, capacity) => {
    const fallen = falling(units, capacity)
    const risen = rising(units, capacity)
    return risen > capacity ? risen : fallen
  }
}

function risesOf(bounds: Bounds): Scaling {
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
      rise = { inMinutes: RISE_DELAY_MINUTES, capacity: fitting(units, bounds) }
    return capacity
  }
}

function fallsOf(bounds: Bounds): Scaling {
  let [minute, below, today, last] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  return (units, capacity) => {
    minute += 1
    if (minute % MINUTES_PER_DAY === 0) today = 0
    below = usedPercent(units, capacity) < bounds.targetPercent - FALL_BELOW_POINTS ? below + 1 : 0
    const may = today < FALLS_PER_DAY || minute - last >= MINUTES_PER_HOUR
    if (below < FALL_MINUTES || !may) return capacity
    const fallen = Math.min(capacity, fitting(units, bounds))
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

function fitting(units: number, { max, min, targetPercent }: Bounds): number {
  return Math.min(max, Math.max(min, Math.ceil((units * 100) / targetPercent)))
}

const MINUTES_PER_HOUR = 60
const MINUTES_PER_DAY = 1_440
/** From here on a normal distribution is close enough to Poisson's, whose product would underflow. */
const MANY = 50

/** Poisson: calls of many users, each independent of the others. */
function arrivals(mean: number, random: () => number): number {
  if (mean >= MANY) {
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
