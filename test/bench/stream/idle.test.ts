/** Store units of idle streams, counted on a clock of their own. */
import { expect, test } from 'vitest'
import { countIdle } from '../../../bench/stream/idle.ts'

test('a stream whose client only answers pings costs 464.5 read units and 22 write units in five minutes', async () => {
  // Reads: the record four times a second for the first minute (241 with that at its end), then
  // twice (480 in 239.75 s), half a unit each; a copy of the broadcast, half a unit, and the profile, a
  // unit, at the start and with 59 heartbeats; each 30 s the broadcast itself, half a unit, and nine times
  // the key, a unit. Answers to pings do not make it
  // faster again. Writes: the record and the lease twice a minute, and the answer to a ping (the fifth is due at the end).
  expect(await countIdle('sse', 300_000)).toEqual({ readUnits: 464.5, writeUnits: 22 })
})

test('a listen stream of a user costs 464 read units and 9 write units in five minutes', async () => {
  // Reads: a copy of the broadcast, half a unit, and the profile, a unit, at the start and in each of 299
  // seconds; each 30 s the broadcast itself, half a unit, and nine times the key, a unit. Writes: the lease, twice a minute (the tenth time
  // is due at the end).
  expect(await countIdle('listen', 300_000)).toEqual({ readUnits: 464, writeUnits: 9 })
})
