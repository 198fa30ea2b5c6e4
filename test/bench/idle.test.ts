/** What an idle stream costs the store, counted on a clock of its own. Issue 3 (Figures). */
import { expect, test } from 'vitest'
import { countIdle } from '../../bench/idle.ts'

test('a stream whose client only answers pings costs 264 reads and 4.4 writes a minute', async () => {
  // Reads: the record four times a second; broadcast and profile with each of 12 heartbeats.
  // Writes: the record and the lease twice a minute, and the answer to a ping (the fifth is due at the end).
  expect(await countIdle(300_000)).toEqual({
    reads: 1320,
    readUnits: 720,
    writes: 22,
    writeUnits: 22,
    pings: 4,
  })
})
