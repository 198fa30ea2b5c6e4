/** What a provisioned table takes, refuses and costs, and the bill of a stage that has one. */
import { describe, expect, test } from 'vitest'
import { type Bill, computeBill, formatBill } from '../../lib/cost/bill.ts'
import { SEC_PER_DAY, simulateDay, simulateJump } from '../../lib/cost/capacity.ts'
import { readMeasured, readPrices } from '../../lib/cost/figures.ts'
import { DEFAULT_MIX, type Mix } from '../../lib/cost/mix.ts'
import { formatProvisioned, priceProvisionedTable } from '../../lib/cost/provisioned.ts'
import { type Capacity, STAGE_FIELDS } from '../../lib/stage.ts'

const every = (callsPerSec: number) => ({ callsPerSecAt: () => callsPerSec, unitsPerCall: 1 })
const fixed = (units: number) => ({ min: units, max: units, targetPercent: 80 })
const FREE = { min: 1, max: 4_000, targetPercent: 80 }

describe('a day of a provisioned table', () => {
  test('a table that cannot grow takes its capacity, refuses the rest, and costs every hour of it', () => {
    const { refused, taken, unitHours } = simulateDay(every(20), fixed(10))
    expect([taken, unitHours]).toEqual([10 * SEC_PER_DAY, 240])
    // Twice as many calls come, at random.
    expect(refused / taken).toBeCloseTo(1, 2)
  })

  test('a table saves up 300 seconds of what it does not use, and gives no more than that', () => {
    const burstOf = (units: number) => ({
      callsPerSecAt: (second: number) => (second === SEC_PER_DAY - 1 ? 1_000_000 : 0),
      unitsPerCall: units / 1_000_000,
    })
    // A second's own units are beside those of 300 before.
    expect(simulateDay(burstOf(3_000), fixed(10)).refused).toBe(0)
    expect(simulateDay(burstOf(4_000), fixed(10)).taken).toBeCloseTo(3_010, 6)
  })

  test('a table that may grow fits a steady load to its target, and refuses nothing', () => {
    const { refused, taken, unitHours } = simulateDay(every(100), FREE)
    expect(refused).toBe(0)
    expect(taken / (unitHours * 3_600)).toBeGreaterThan(0.76)
    expect(taken / (unitHours * 3_600)).toBeLessThanOrEqual(0.8)
  })

  test('a target of less costs more', () => {
    const hoursOf = (targetPercent: number) =>
      simulateDay(every(100), { ...FREE, targetPercent }).unitHours
    expect(hoursOf(50) / hoursOf(80)).toBeCloseTo(1.6, 1)
  })

  test('a table shrinks to its least a quarter of an hour after the last call', () => {
    const load = {
      callsPerSecAt: (second: number) => (second < 12 * 3_600 ? 100 : 0),
      unitsPerCall: 1,
    }
    const { taken, unitHours } = simulateDay(load, FREE)
    const busy = taken / (12 * 3_600)
    // Twelve hours of the load, the hour in which it shrinks by its most, and eleven of one unit.
    expect(unitHours).toBeGreaterThan(13 * busy)
    expect(unitHours).toBeLessThan(13 * (busy / 0.72) + 11)
  })

  test('a load that doubles at once is borne by what was saved until the table has grown, and one that grows tenfold is not', () => {
    expect(simulateJump(2, every(100), FREE)).toBe(0)
    expect(simulateJump(10, every(100), FREE)).toBeGreaterThan(0.5)
    const bounds = { ...FREE, targetPercent: 50 }
    expect(simulateJump(10, every(100), bounds)).toBeLessThan(0.2)
  })

  test('the same load has the same day', () => {
    expect(simulateDay(every(7.5), FREE)).toEqual(simulateDay(every(7.5), FREE))
  })
})

describe('the prices of a provisioned table', () => {
  const usd = { writeUnitHour: 0.001, readUnitHour: 0.0001 }
  const bounds = { min: { write: 5, read: 10 }, max: { write: 4_000, read: 4_000 } }
  const tableOf = (mix: Partial<Mix>) =>
    priceProvisionedTable({ ...DEFAULT_MIX, ...mix }, { writeUnits: 3, readUnits: 2 }, bounds, usd)

  test('the least capacity is paid in full by the few calls of a quiet stage', () => {
    const { capacity, prices } = tableOf({ users: 1 })
    expect(capacity).toEqual({ write: 5, read: 10 })
    // 1,440 calls a day, at random: 24 hours of 5 units over 3 units each.
    expect(prices.writePerMillionUnits).toBeCloseTo((120 * 0.001 * 1e6) / (1_440 * 3), 0)
    expect(prices.readPerMillionUnits).toBeCloseTo((240 * 0.0001 * 1e6) / (1_440 * 2), 0)
  })

  test('a busy stage pays an hour of a unit for what its target leaves of 3,600', () => {
    const { prices, refused, used } = tableOf({ users: 10_000 })
    expect(used.write).toBeGreaterThan(0.75)
    expect(prices.writePerMillionUnits).toBeCloseTo((0.001 * 1e6) / (3_600 * used.write), 9)
    expect(refused).toBe(0)
  })

  test('hours without calls and busy minutes make a unit dearer', () => {
    const priceOf = (mix: Partial<Mix>) => tableOf(mix).prices.writePerMillionUnits
    const steady = priceOf({})
    expect(priceOf({ peak: 2 })).toBeGreaterThan(1.05 * steady)
    expect(priceOf({ hours: 240 })).toBeGreaterThan(1.05 * steady)
  })

  test('calls past the most that the stage allows are refused', () => {
    // 20,000 calls a minute are 1,000 write units a second.
    const bound = { ...bounds, max: { write: 500, read: 4_000 } }
    const mix = { ...DEFAULT_MIX, users: 20_000 }
    const { refused } = priceProvisionedTable(mix, { writeUnits: 3, readUnits: 2 }, bound, usd)
    expect(refused).toBeCloseTo(0.5, 2)
  })

  test('the lines of a table say what it has, how much of it is used, and what it refuses', () => {
    const [has, refuses] = formatProvisioned('Streamable HTTP', tableOf({}))
    expect(has).toMatch(
      /^The Gateway table is provisioned, for Streamable HTTP with \d+ write units a second, 7\d % of them used, and \d+ read units a second, 4\d % of them used\.$/,
    )
    expect(refuses).toMatch(
      /^It refuses 0 % of the requests of a usual day, and in .* 0 % \(2 times\), \d+ % \(4 times\), \d+ % \(10 times\)\.$/,
    )
  })
})

describe('the bill of a provisioned stage', () => {
  const usdOf = (bill: Bill, name: string) =>
    bill.ways.find((way) => way.name === name)?.usdPerMillion ?? 0
  const billWith = (capacity: Capacity, mix: Partial<Mix> = {}) =>
    computeBill({ ...DEFAULT_MIX, ...mix }, readPrices(), readMeasured(), capacity)

  test('a load that is there all day costs a third less where it is provisioned, but for what streams do with the Sessions table', () => {
    const onDemand = billWith('on-demand')
    const provisioned = billWith('provisioned')
    const mcp = 'Streamable HTTP'
    expect(usdOf(provisioned, mcp) / usdOf(onDemand, mcp)).toBeLessThan(0.7)
    const [before, after] = [onDemand, provisioned].map(({ ways }) => {
      const [execute, , sse] = ways.map(({ items }) => {
        const writes = items.find(({ item }) => item === 'DynamoDB writes')
        return writes?.usdPerMillion ?? 0
      })
      return (sse ?? 0) - (execute ?? 0)
    })
    expect(after).toBeCloseTo(before ?? 0, 1)
    const alarms = "| 8 alarms of the table's scaling |"
    expect(formatBill(onDemand).join()).not.toContain(alarms)
    expect(formatBill(provisioned)).toContain(`${alarms}  | 0.80 |  | 0.80 |  | 0.80 |`)
  })

  test('a stage with a call a minute pays more for its least capacity than for requests', () => {
    const [onDemand = 0, provisioned = 0] = STAGE_FIELDS.capacity.choices.map((capacity) =>
      usdOf(billWith(capacity, { users: 1 }), 'POST /v1/execute'),
    )
    expect(provisioned).toBeGreaterThan(2 * onDemand)
  })
})
