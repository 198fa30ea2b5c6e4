/** Store units of an idle stream, counted on a clock of its own. */
import { expect, test } from 'vitest'
import { countIdle } from '../../../bench/stream/idle.ts'

test('a stream whose client only answers pings costs 841 reads and 22 writes in five minutes', async () => {
  // Reads: the record four times a second for the first minute (241 with that at its end), then
  // twice (480 in 239.75 s), half a unit each; broadcast and profile at the start and with 59
  // heartbeats, a unit each. Answers to pings do not make it faster again. Writes: the record and
  // the lease twice a minute, and the answer to a ping (the fifth is due at the end).
  expect(await countIdle(300_000)).toEqual({
    reads: 841,
    readUnits: 480.5,
    writes: 22,
    writeUnits: 22,
    pings: 4,
  })
})
