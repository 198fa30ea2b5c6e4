/**
 * Contract of the port RateCounters. Records expire, but no caller can observe it: each is keyed by
 * its minute, and a minute that is over is never read.
 */
import { describe, expect, test } from 'vitest'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeMinuteCounter(name: string, makePorts: MakePorts): void {
  describe(`${name}: rate counters`, () => {
    const opened = openedPorts(makePorts)

    test('rate counters count from one', async () => {
      const { rateCounters, clock } = opened()
      const request = { keyHash: freshHash(), minute: minuteOf(clock) }
      expect(await rateCounters.count(request)).toBe(1)
      expect(await rateCounters.count(request)).toBe(2)
      expect(await rateCounters.count(request)).toBe(3)
    })

    test('rate counters read what was counted, and add nothing', async () => {
      const { rateCounters, clock } = opened()
      const what = { keyHash: freshHash(), minute: minuteOf(clock) }
      expect(await rateCounters.read(what)).toBe(0)
      await rateCounters.count(what)
      await rateCounters.count(what)
      expect(await rateCounters.read(what)).toBe(2)
      expect(await rateCounters.read(what)).toBe(2)
      expect(await rateCounters.read({ ...what, minute: what.minute + 1 })).toBe(0)
      expect(await rateCounters.count(what)).toBe(3)
    })

    test('rate counters give 20 counts at once 20 different numbers', async () => {
      const { rateCounters, clock } = opened()
      const request = { keyHash: freshHash(), minute: minuteOf(clock) }
      const counts = await atOnce(20, () => rateCounters.count(request))
      expect(counts.sort((a, b) => a - b)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
      ])
    })

    test('rate counters count each minute and each key apart', async () => {
      const { rateCounters, clock } = opened()
      const keyHash = freshHash()
      const minute = minuteOf(clock)
      await rateCounters.count({ keyHash, minute })
      expect(await rateCounters.count({ keyHash, minute: minute + 1 })).toBe(1)
      expect(await rateCounters.count({ keyHash: freshHash(), minute })).toBe(1)
      expect(await rateCounters.count({ keyHash, minute })).toBe(2)
    })
  })
}

function minuteOf(clock: StorePorts['clock']): number {
  return Math.floor(clock.nowMs() / 60_000)
}
