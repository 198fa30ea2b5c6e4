/** Store units of an idle listen stream, counted on a clock of its own. */
import { expect, test } from 'vitest'
import { countListening } from '../../../bench/stream/idle-listen.ts'

test('a listen stream of a user costs 610 reads and 9 writes in five minutes', async () => {
  // Reads: a copy of the broadcast, half a unit, and the profile, a unit, at the start and in each of 299
  // seconds; each 30 s the broadcast itself, half a unit. Writes: the lease, twice a minute (the tenth time
  // is due at the end).
  expect(await countListening(300_000)).toEqual({
    reads: 610,
    readUnits: 455,
    writes: 9,
    writeUnits: 9,
  })
})
