import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  advanceWatermark,
  hasDelivered,
  listMissingRanges,
  markDelivered,
  startWatermark,
} from '../../../core/session/watermark.ts'

describe('a watermark', () => {
  test('starts with nothing delivered above its start', () => {
    const watermark = startWatermark(3)
    expect([hasDelivered(watermark, 3), hasDelivered(watermark, 4)]).toEqual([true, false])
  })

  test('moves on with replies in order and keeps no set', () => {
    const watermark = [1, 2, 3].reduce(markDelivered, startWatermark(0))
    expect(watermark).toEqual({ low: 3, above: new Set() })
  })

  test('remembers a reply that overtook, and closes the gap when the slower one comes', () => {
    const overtaken = markDelivered(markDelivered(startWatermark(0), 2), 4)
    expect(overtaken).toEqual({ low: 0, above: new Set([2, 4]) })
    expect(markDelivered(overtaken, 1)).toEqual({ low: 2, above: new Set([4]) })
    expect(markDelivered(markDelivered(overtaken, 1), 3)).toEqual({ low: 4, above: new Set() })
  })

  test('a second delivery changes nothing', () => {
    const watermark = markDelivered(startWatermark(0), 2)
    expect(markDelivered(watermark, 2)).toBe(watermark)
  })

  test('requests that the record dropped count as delivered', () => {
    const watermark = advanceWatermark(markDelivered(markDelivered(startWatermark(0), 3), 5), 2)
    expect(watermark).toEqual({ low: 3, above: new Set([5]) })
    expect(advanceWatermark(watermark, 3)).toBe(watermark)
    expect(advanceWatermark(watermark, 5)).toEqual({ low: 5, above: new Set() })
  })

  test('any order of 1 to n moves the watermark to n with an empty set', () => {
    const order = fc.integer({ min: 1, max: 40 }).chain((n) =>
      fc.shuffledSubarray(
        Array.from({ length: n }, (_, i) => i + 1),
        { minLength: n },
      ),
    )
    fc.assert(
      fc.property(order, (seqs) => {
        const watermark = seqs.reduce(markDelivered, startWatermark(0))
        expect(watermark).toEqual({ low: seqs.length, above: new Set() })
      }),
      { numRuns: 200, seed: 3 },
    )
  })
})

test('deliveries of one session are none of another that began alike', () => {
  const [one, another] = [startWatermark(0), startWatermark(0)]
  const ahead = markDelivered(markDelivered(one, 2), 1)
  const later = markDelivered(advanceWatermark(ahead, 3), 5)
  expect([one, another].map(({ above }) => above.size)).toEqual([0, 0])
  expect([...later.above]).toEqual([5])
  expect([...ahead.above, ...startWatermark(0).above]).toEqual([])
})

describe('the ranges that are missing', () => {
  const ranges = (low: number, above: readonly number[]) =>
    listMissingRanges({ low, above: new Set(above) })

  test('are one without an end where nothing overtook', () => {
    expect(ranges(4, [])).toEqual([{ after: 4 }])
  })

  test('are the gaps, and all that follows the newest delivered one', () => {
    expect(ranges(0, [6, 2, 3])).toEqual([
      { after: 0, upTo: 1 },
      { after: 3, upTo: 5 },
      { after: 6 },
    ])
  })

  test('are at most 8: of 9 the two with the fewest delivered between them are joined', () => {
    const eight = [2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21]
    expect(ranges(0, eight)).toHaveLength(8)
    const nine = ranges(0, [...eight, 23])
    expect(nine).toHaveLength(8)
    expect(nine.at(-1)).toEqual({ after: 21 })
  })
})
