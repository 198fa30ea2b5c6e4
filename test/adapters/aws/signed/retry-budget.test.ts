import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  BUDGET_TOKENS,
  drawRetryPauseMs,
  makeRetryBudget,
} from '../../../../adapters/aws/signed/retry-budget.ts'

afterEach(() => vi.restoreAllMocks())

describe('the budget of retries', () => {
  test('pays for 35 of them after trouble, and for none more', () => {
    const budget = makeRetryBudget()
    for (let retry = 1; retry <= Math.floor(BUDGET_TOKENS / 14); retry += 1) {
      expect(budget.take('transient')).toBe(14)
    }
    expect(budget.take('transient')).toBeUndefined()
    expect(budget.take('throttled')).toBe(5)
  })

  test('gets the cost back of a retry that was answered, and a token of each first try', () => {
    const budget = makeRetryBudget()
    for (let retry = 1; retry <= 100; retry += 1) budget.take('throttled')
    expect(budget.take('throttled')).toBeUndefined()
    budget.answered(5)
    expect(budget.take('throttled')).toBe(5)
    for (let answer = 1; answer <= 4; answer += 1) budget.answered(undefined)
    expect(budget.take('throttled')).toBeUndefined()
    budget.answered(undefined)
    expect(budget.take('throttled')).toBe(5)
  })

  test('is never larger than at the start', () => {
    const budget = makeRetryBudget()
    budget.answered(1_000)
    for (let retry = 1; retry <= 100; retry += 1) expect(budget.take('throttled')).toBe(5)
    expect(budget.take('throttled')).toBeUndefined()
  })
})

describe('the pause before a retry', () => {
  const pauseMs = (trouble: 'throttled' | 'transient', tries: number, askedMs = 0) =>
    drawRetryPauseMs({ trouble, tries, pauseMs: 25, askedMs })

  test('doubles, is longer after throttling, and ends at 20 s', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999_999)
    expect([1, 2].map((tries) => pauseMs('transient', tries))).toEqual([24, 49])
    expect([1, 2].map((tries) => pauseMs('throttled', tries))).toEqual([999, 1_999])
    expect(pauseMs('throttled', 9)).toBe(19_999)
  })

  test('may be nothing', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect(pauseMs('throttled', 2)).toBe(0)
  })

  test('follows the store, by 5 s at most', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect(pauseMs('throttled', 1, 5_000)).toBe(5_000)
    expect(pauseMs('throttled', 1, 5_001)).toBe(5_000)
  })
})
