import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addCounts,
  computePercentileMs,
  countCalls,
  countDuration,
  type DurationCounts,
} from '../../../core/usage/durations.ts'

function countsOfAll(durations: readonly number[]): DurationCounts {
  return durations.map(countDuration).reduce<DurationCounts>((a, b) => addCounts(a, b) ?? [], [])
}

function exact(durations: readonly number[], share: number): number {
  const sorted = [...durations].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1] ?? 0
}

const DURATIONS = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 16_000 })),
  { minLength: 1, maxLength: 80 },
)

describe('counts of durations', () => {
  test('every duration up to 40 s is read from its bucket with an error of 10 % at most', () => {
    for (let ms = 1; ms <= 40_000; ms += 1) {
      const read = computePercentileMs(countDuration(ms), 0.5)
      if (Math.abs(read - ms) > ms * 0.1) throw new Error(`${ms} ms is read as ${read} ms`)
    }
  })

  test('percentiles of any calls differ from the exact ones by 10 % at most', () => {
    fc.assert(
      fc.property(DURATIONS, fc.constantFrom(0.5, 0.95), (durations, share) => {
        const wanted = exact(durations, share)
        expect(
          Math.abs(computePercentileMs(countsOfAll(durations), share) - wanted),
        ).toBeLessThanOrEqual(wanted * 0.1)
      }),
    )
  })

  test('counts of two sets add up to those of both, whichever comes first', () => {
    fc.assert(
      fc.property(DURATIONS, DURATIONS, (some, others) => {
        const [a, b] = [countsOfAll(some), countsOfAll(others)]
        expect(addCounts(a, b)).toEqual(countsOfAll([...some, ...others]))
        expect(addCounts(b, a)).toEqual(addCounts(a, b))
        expect(countCalls(a) + countCalls(b)).toBe(some.length + others.length)
      }),
    )
  })

  test('counts without calls change nothing', () => {
    expect(addCounts(undefined, [3, 1])).toEqual([3, 1])
    expect(addCounts([3, 1], undefined)).toEqual([3, 1])
    expect(addCounts(undefined, undefined)).toBeUndefined()
    expect([countCalls([]), computePercentileMs([], 0.5)]).toEqual([0, 0])
  })

  test('a duration of 0 ms counts as 1 ms, and one of minutes stays in the last bucket', () => {
    expect(countDuration(0)).toEqual([0, 1])
    expect(countDuration(42_000)).toEqual([76, 1])
    expect(countDuration(3_600_000)).toEqual([76, 1])
  })
})
