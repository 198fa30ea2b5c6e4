/** Store units of an idle listen stream, counted on a clock of its own. */
import { expect, test } from 'vitest'
import { countListening } from '../../../bench/stream/idle-listen.ts'

test('a listen stream of a user costs 600 reads and 9 writes in five minutes', async () => {
  // Reads: broadcast and profile at the start and in each of 299 seconds, a unit each. Writes: the lease,
  // twice a minute (the tenth time is due at the end).
  expect(await countListening(300_000)).toEqual({
    reads: 600,
    readUnits: 600,
    writes: 9,
    writeUnits: 9,
  })
})
