/** The units that the bill counts with, against those that the store counts today. */
import { expect, test } from 'vitest'
import { countCalls } from '../../bench/stream/call-cost.ts'
import { readMeasured } from '../../lib/cost/figures.ts'
import { countSweepEntry } from '../../scripts/cost/count-sweep.ts'

test('the measured units of a call are those that the store counts today', async () => {
  const { ways } = readMeasured()
  const { cold, warm } = await countCalls()
  const [repeat] = ways.execute.repeat
  const [fresh] = ways.execute.fresh
  // The cold call reads the skill, too: half a unit, which the model adds by itself.
  expect(Math.round(repeat?.writeUnits ?? 0)).toBe(warm.writeUnits)
  expect(Math.round(repeat?.readUnits ?? 0)).toBe(warm.readUnits)
  expect(Math.round(fresh?.writeUnits ?? 0)).toBe(cold.writeUnits)
  expect(Math.round(fresh?.readUnits ?? 0)).toBe(Math.floor(cold.readUnits))
})

test('the measured units of a sweep entry are those that the store counts today', async () => {
  const { readUnits, writeUnits } = readMeasured().sweepEntry
  expect(await countSweepEntry()).toMatchObject({ readUnits, writeUnits })
})
