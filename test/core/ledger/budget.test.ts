/** Months and budgets beyond the contract of the stores: edges of the calendar, and views. */
import { describe, expect, test } from 'vitest'
import { toBudgetView } from '../../../core/flow/users/budget-view.ts'
import { countCall } from '../../../core/ledger/budget.ts'
import type { Budget } from '../../../core/ledger/ledger.ts'
import { toMonth, toRenewalDay } from '../../../core/ledger/month.ts'

describe('a month', () => {
  test.each([
    ['2026-10-31T23:59:59.999Z', '2026-10', '2026-11-01'],
    ['2026-11-01T00:00:00.000Z', '2026-11', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01'],
    ['2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01'],
    ['1970-01-01T00:00:00.000Z', '1970-01', '1970-02-01'],
  ])('the month at %s is %s and renews on %s', (at, month, renewal) => {
    expect(toMonth(Date.parse(at))).toBe(month)
    expect(toRenewalDay(month)).toBe(renewal)
  })
})

const NOVEMBER_MS = Date.UTC(2026, 10, 9)
const budget = (limit: number, spent: number, month = '2026-11'): Budget => ({
  limit,
  spent,
  month,
  sinceMs: 1,
})

describe('a budget as it is shown', () => {
  test('has the spending of its month', () => {
    expect(toBudgetView(budget(10_000_000, 2_500_000), NOVEMBER_MS)).toEqual({
      limit: 10,
      spent: 2.5,
      renewsOn: '2026-12-01',
    })
  })

  test('has spent nothing in a month that no call has reached', () => {
    expect(toBudgetView(budget(10_000_000, 2_500_000, '2026-09'), NOVEMBER_MS)).toEqual({
      limit: 10,
      spent: 0,
      renewsOn: '2026-12-01',
    })
  })
})

describe('a call', () => {
  const call = { amount: 10, heldAtMs: NOVEMBER_MS, keyHash: 'constructor' }

  test('of a key whose hash is a special name in JavaScript has no budget by that', () => {
    expect(countCall({ keyBudgets: { other: budget(0, 0) } }, call)).toEqual({
      counted: undefined,
      reached: undefined,
    })
  })

  test("names the user's budget before the key's", () => {
    const profile = { budget: budget(9, 0), keyBudgets: { constructor: budget(9, 0) } }
    expect(countCall(profile, call).reached?.whose).toBe('user')
    expect(countCall({ ...profile, budget: budget(10, 0) }, call).reached?.whose).toBe('key')
  })
})
