/** The units that the bill counts with, against those that the store counts today. */
import { expect, test } from 'vitest'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { openBenchStore } from '../../bench/lib/gateway.ts'
import { callOnce, createTimedUpstream, sumUnits } from '../../bench/lib/one-call.ts'
import { countCalls } from '../../bench/stream/call-cost.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { readMeasured } from '../../lib/cost/figures.ts'
import { UNKNOWN_KEY_READ_UNITS } from '../../lib/cost/flood.ts'
import { countSweepEntry } from '../../scripts/cost/measure.ts'

test('the measured units of a call are those that the store counts today', async () => {
  const { ways } = readMeasured()
  const { cold, warm } = await countCalls()
  const [repeat] = ways.execute.repeat
  const [fresh] = ways.execute.fresh
  const toHalf = (units = 0) => Math.round(2 * units) / 2
  expect(Math.round(repeat?.writeUnits ?? 0)).toBe(warm.writeUnits)
  // This warm call is the one of 30 s that reads the list's version, and its record beside its copy.
  expect(toHalf(repeat?.readUnits)).toBe(warm.readUnits - 1)
  expect(Math.round(fresh?.writeUnits ?? 0)).toBe(cold.writeUnits)
  // The cold call reads the two shared records of the skill, too.
  expect(toHalf(fresh?.readUnits)).toBe(cold.readUnits - 1)
})

test('the measured units of a sweep entry are those that the store counts today', async () => {
  const { readUnits, writeUnits } = readMeasured().sweepEntry
  expect(await countSweepEntry()).toMatchObject({ readUnits, writeUnits })
})

test('an unknown key costs the units that the price of a flood counts with', async () => {
  const consumed: ConsumedUnits[] = []
  const store = await openBenchStore()
  try {
    const ports = store.ports(systemClock(), { consumed: (one) => consumed.push(one) })
    const needs = { ...ports, upstream: createTimedUpstream(() => {}) }
    const caches = makeExecuteCaches()
    const send = (letter: string) =>
      expect(callOnce(needs, caches, `Bearer sgk_${letter.repeat(43)}`)).rejects.toThrow(
        'unknown or expired',
      )
    // The first one also reads what the process then remembers.
    await send('x')
    consumed.length = 0
    await send('y')
  } finally {
    await store.stop()
  }
  expect(sumUnits(consumed, 'written')).toBe(0)
  expect(sumUnits(consumed, 'read')).toBe(UNKNOWN_KEY_READ_UNITS)
})
