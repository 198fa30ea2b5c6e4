/** What a measured week costs by each way of paying, and the least capacity that would have served it. */
import { describe, expect, test } from 'vitest'
import { adviseCapacity, type Consumption } from '../../lib/cost/advice.ts'
import { simulateMinutes } from '../../lib/cost/capacity.ts'

const PRICES = {
  usd: {
    writePerMillionUnits: 0.5,
    readPerMillionUnits: 0.1,
    writeUnitHour: 0.001,
    readUnitHour: 0.0002,
    alarmPerMonth: 0.1,
  },
}
const MAX = { write: 4_000, read: 12_000 }
const DAY_MINUTES = 1_440

const minutes = (days: number, unitsAt: (minute: number) => number) =>
  Array.from({ length: days * DAY_MINUTES }, (_, minute) => unitsAt(minute))

/** Writes and half as many reads. */
function consume(days: number, unitsAt: (minute: number) => number): Consumption {
  return { write: minutes(days, unitsAt), read: minutes(days, (minute) => unitsAt(minute) / 2) }
}

describe('measured minutes', () => {
  const bounds = { min: 10, max: 100, targetPercent: 80 }

  test('are served whole by a table that has room for them, for the hours of its capacity', () => {
    const load = { unitsOfMinutes: minutes(1, () => 60), unitsPerCall: 1 }
    const { refused, taken, unitHours } = simulateMinutes(load, bounds)
    expect([refused, unitHours]).toEqual([0, 240])
    expect(Math.abs(taken - 86_400)).toBeLessThan(1_500)
  })

  test('are refused where a minute takes more than the most of the table and all that it saved', () => {
    const load = { unitsOfMinutes: minutes(1, () => 60 * 400), unitsPerCall: 4 }
    const { refused, taken } = simulateMinutes(load, bounds)
    expect(taken / 86_400).toBeCloseTo(100, 0)
    expect(refused / (taken + refused)).toBeCloseTo(0.75, 2)
  })
})

describe('the advice', () => {
  test('is a provisioned table for a load that is there all day, with the least that serves it', () => {
    const advice = adviseCapacity(
      consume(2, () => 60 * 100),
      MAX,
      PRICES,
    )
    expect(advice).toMatchObject({ hours: 48, choice: 'provisioned' })
    // 17,280,000 writes and 8,640,000 reads.
    expect(advice.onDemandUsd).toBeCloseTo(9.504, 9)
    // 125 units a second at 80 %, with the scaling that follows chance; reads have 50 %.
    expect(advice.provisionedUsd).toBeGreaterThan(48 * (125 * 0.001 + 100 * 0.0002))
    expect(advice.provisionedUsd).toBeLessThan(9.504)
    const { read, write } = advice.kinds
    expect([write.taken, write.busiestPerSec, read.taken]).toEqual([17_280_000, 100, 8_640_000])
    expect(write.refused).toBeLessThanOrEqual(0.001)
    expect(read.refused).toBeLessThanOrEqual(0.001)
  })

  test('is to stay on demand for a load of one hour a day', () => {
    const advice = adviseCapacity(
      consume(3, (minute) => (minute % DAY_MINUTES < 60 ? 60 * 100 : 0)),
      MAX,
      PRICES,
    )
    expect(advice.choice).toBe('on-demand')
    expect(advice.provisionedUsd).toBeGreaterThan(advice.onDemandUsd)
  })

  test('is to stay on demand for a load that the most of the stage would refuse, however cheap it is', () => {
    const advice = adviseCapacity(
      consume(1, () => 60 * 100),
      { write: 50, read: 50 },
      PRICES,
    )
    expect(advice.choice).toBe('on-demand')
    expect(advice.kinds.write.leastPerSec).toBe(50)
    expect(advice.kinds.write.refused).toBeGreaterThan(0.4)
  })

  test('has more least capacity for a load that jumps than for an even one of the same units', () => {
    const jumping = consume(2, (minute) => (minute % 120 < 20 ? 60 * 300 : 0))
    const even = consume(2, () => 60 * 50)
    const [one, other] = [jumping, even].map(
      (load) => adviseCapacity(load, MAX, PRICES).kinds.write.leastPerSec,
    )
    expect(one).toBeGreaterThan(other ?? Number.POSITIVE_INFINITY)
  })

  test('says what a sudden load and strangers would be refused', () => {
    const { jumps, strangers } = adviseCapacity(
      consume(1, () => 60 * 100),
      MAX,
      PRICES,
    )
    expect(jumps.map(({ times }) => times)).toEqual([2, 4, 10])
    const [twice = 1, , tenfold = 0] = jumps.map(({ refused }) => refused)
    expect(twice).toBeLessThan(0.05)
    expect(tenfold).toBeGreaterThan(0.5)
    expect(strangers.keysPerSec).toBe(100)
    expect(strangers.refused).toBeGreaterThan(0)
  })
})
