import { describe, expect, test } from 'vitest'
import { buildRateLimitHeaders, decideRate, toMinute } from '../../../core/access/minute.ts'

/** 2025-01-01T00:00:00Z */
const MINUTE_START_MS = 1_735_689_600_000

test('a minute is counted from 1970 and begins on its millisecond', () => {
  expect(toMinute(0)).toBe(0)
  expect(toMinute(59_999)).toBe(0)
  expect(toMinute(60_000)).toBe(1)
  expect(toMinute(MINUTE_START_MS)).toBe(28_928_160)
})

describe('the count of a minute', () => {
  test('the call that fills the minute is allowed and the next is not', () => {
    const nowMs = MINUTE_START_MS + 30_000
    expect(decideRate({ count: 1, limit: 60, nowMs })).toEqual({
      allowed: true,
      limit: 60,
      remaining: 59,
      resetSec: 30,
    })
    expect(decideRate({ count: 60, limit: 60, nowMs })).toEqual({
      allowed: true,
      limit: 60,
      remaining: 0,
      resetSec: 30,
    })
    expect(decideRate({ count: 61, limit: 60, nowMs })).toEqual({
      allowed: false,
      limit: 60,
      remaining: 0,
      resetSec: 30,
      retryAfterSec: 30,
    })
  })

  test('a limit of zero allows nothing', () => {
    expect(decideRate({ count: 1, limit: 0, nowMs: MINUTE_START_MS }).allowed).toBe(false)
  })

  test('the wait is exact to the second and never ends in the same minute', () => {
    const waits = [0, 1, 1_000, 30_001, 59_000, 59_001, 59_999].map(
      (ms) => decideRate({ count: 1, limit: 1, nowMs: MINUTE_START_MS + ms }).resetSec,
    )
    expect(waits).toEqual([60, 60, 59, 30, 1, 1, 1])
  })
})

describe('the rate limit headers', () => {
  test('an allowed call gets the remaining quota and the policy', () => {
    const judgement = decideRate({ count: 1, limit: 60, nowMs: MINUTE_START_MS + 30_000 })
    expect(buildRateLimitHeaders(judgement)).toEqual({
      ratelimit: '"minute";r=59;t=30',
      'ratelimit-policy': '"minute";q=60;w=60',
    })
  })

  test('a refused call gets the time after which it may retry', () => {
    const judgement = decideRate({ count: 100, limit: 60, nowMs: MINUTE_START_MS + 47_500 })
    expect(buildRateLimitHeaders(judgement)).toEqual({
      ratelimit: '"minute";r=0;t=13',
      'ratelimit-policy': '"minute";q=60;w=60',
      'retry-after': '13',
    })
  })
})
