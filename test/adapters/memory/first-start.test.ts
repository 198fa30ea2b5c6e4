/** What the records that exist once per store answer before anything was written. */
import { expect, test } from 'vitest'
import { openDatabase } from '../../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../../adapters/memory/store-ports.ts'
import { testClock } from '../../contracts/test-clock.ts'

test('an empty store has no broadcast, no sweep cursor and no tools list', async () => {
  const ports = memoryStorePorts(openDatabase(), testClock())
  expect(await ports.toolListVersion.read()).toBe(0)
  expect(await ports.sweepEntries.readCursor()).toBeUndefined()
  expect(await ports.toolsCache.read()).toBeUndefined()
})

test('the first broadcast carries the time at which it was made', async () => {
  const ports = memoryStorePorts(openDatabase(), testClock())
  expect(await ports.toolListVersion.write(2_000_000_000_000)).toBe(2_000_000_000_000)
})

test('counters of minutes that are over do not pile up', async () => {
  const clock = testClock()
  const database = openDatabase()
  const { rateCounters } = memoryStorePorts(database, clock)
  for (let n = 0; n < 500; n += 1) {
    await rateCounters.count({ keyHash: 'k', minute: Math.floor(clock.nowMs() / 60_000) })
    clock.advance(60_000)
  }
  expect(database.rateCounters.list('k').length).toBeLessThan(10)
})
