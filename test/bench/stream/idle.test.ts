/** Store units of an idle stream, counted on a clock of its own. */
import { expect, test } from 'vitest'
import { countIdle } from '../../../bench/stream/idle.ts'

test('a stream whose client only answers pings costs 851 reads and 22 writes in five minutes', async () => {
  // Reads: the record four times a second for the first minute (241 with that at its end), then
  // twice (480 in 239.75 s), half a unit each; a copy of the broadcast, half a unit, and the profile, a
  // unit, at the start and with 59 heartbeats; each 30 s the broadcast itself, half a unit. Answers to pings do not make it faster again. Writes: the record and
  // the lease twice a minute, and the answer to a ping (the fifth is due at the end).
  expect(await countIdle(300_000)).toEqual({
    reads: 851,
    readUnits: 455.5,
    writes: 22,
    writeUnits: 22,
    pings: 4,
  })
})
