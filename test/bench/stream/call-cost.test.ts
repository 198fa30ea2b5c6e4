/** Store requests and units of a call, counted by the store itself. */
import { expect, test } from 'vitest'
import { countCalls } from '../../../bench/stream/call-cost.ts'

test('a paid call sends 3 requests in a row before its upstream, 2 when its key is in caches, and none between answers', async () => {
  const { cold, warm, sseWriteUnits } = await countCalls()
  // Read units: the key, the profile and three candidates; all but the key are read eventually.
  expect(cold).toEqual({ rowBefore: 3, rowBetween: 0, writeUnits: 4, readUnits: 3.5 })
  // The first read of the list version in a process reads two records.
  expect(warm).toEqual({ rowBefore: 2, rowBetween: 0, writeUnits: 4, readUnits: 2.5 })
  // Write units: 7 for each call (accept, count, hold, outcome, release, and 2 for a reply, which with its
  // cost is over 1 kB); for 8 calls also one write that forgets old requests.
  expect(sseWriteUnits).toBe(7.125)
})
