import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  advanceTo,
  deliver,
  hasDelivered,
  startWatermark,
} from '../../../core/session/watermark.ts'

describe('watermark', () => {
  test('starts with nothing delivered above its start', () => {
    const watermark = startWatermark(3)
    expect([hasDelivered(watermark, 3), hasDelivered(watermark, 4)]).toEqual([true, false])
  })

  test('moves on with replies in order and keeps no set', () => {
    const watermark = [1, 2, 3].reduce(deliver, startWatermark(0))
    expect(watermark).toEqual({ low: 3, above: new Set() })
  })

  test('remembers a reply that overtook, and closes the gap when the slower one comes', () => {
    const overtaken = deliver(deliver(startWatermark(0), 2), 4)
    expect(overtaken).toEqual({ low: 0, above: new Set([2, 4]) })
    expect(deliver(overtaken, 1)).toEqual({ low: 2, above: new Set([4]) })
    expect(deliver(deliver(overtaken, 1), 3)).toEqual({ low: 4, above: new Set() })
  })

  test('a delivery twice changes nothing', () => {
    const watermark = deliver(startWatermark(0), 2)
    expect(deliver(watermark, 2)).toBe(watermark)
  })

  test('requests that the record dropped count as delivered', () => {
    const watermark = advanceTo(deliver(deliver(startWatermark(0), 3), 5), 2)
    expect(watermark).toEqual({ low: 3, above: new Set([5]) })
    expect(advanceTo(watermark, 3)).toBe(watermark)
    expect(advanceTo(watermark, 5)).toEqual({ low: 5, above: new Set() })
  })

  test('any order of 1 to n ends at n with an empty set', () => {
    const order = fc.integer({ min: 1, max: 40 }).chain((n) =>
      fc.shuffledSubarray(
        Array.from({ length: n }, (_, i) => i + 1),
        { minLength: n },
      ),
    )
    fc.assert(
      fc.property(order, (seqs) => {
        const watermark = seqs.reduce(deliver, startWatermark(0))
        expect(watermark).toEqual({ low: seqs.length, above: new Set() })
      }),
      { numRuns: 200, seed: 3 },
    )
  })
})
