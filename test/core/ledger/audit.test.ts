import { describe, expect, test } from 'vitest'
import { type Account, auditAccount } from '../../../core/ledger/audit.ts'
import { heldAs, holdOf, refundedOf, settledOf } from '../../contracts/fresh.ts'

const GRANT = { grantId: 'initial', amount: 10_000_000 }

function account(credits: number, more: Partial<Account> = {}): Account {
  const profile = { credits, holds: {} }
  return { uid: 'u', profile, grants: [GRANT], outcomes: [], unreadable: [], ...more }
}

describe('an account that adds up', () => {
  test('an account adds up when all granted credits can be spent', () => {
    expect(auditAccount(account(10_000_000))).toEqual({
      uid: 'u',
      granted: 10_000_000,
      credits: 10_000_000,
      held: 0,
      charged: 0,
      difference: 0,
      faults: [],
    })
  })

  test('an account adds up when a correction took credits, down to a debt', () => {
    const grants = [GRANT, { grantId: 'k1', amount: -12_500_000 }]
    const { granted, difference, faults } = auditAccount(account(-2_500_000, { grants }))
    expect([granted, difference, faults]).toEqual([-2_500_000, 0, []])
  })

  test('an account adds up when calls were charged for the rest; a refunded call charges nothing', () => {
    const outcomes = [settledOf('u', 'c1', 2_500_000), refundedOf('u', 'c2', 4_000_000)]
    const { charged, difference } = auditAccount(account(7_500_000, { outcomes }))
    expect([charged, difference]).toEqual([2_500_000, 0])
  })

  test('an account adds up when the rest is on hold, whether or not the call has settled meanwhile', () => {
    const profile = { credits: 9_000_000, holds: { c1: heldAs(1, holdOf(1_000_000)) } }
    for (const outcomes of [[], [settledOf('u', 'c1', 1_000_000)]]) {
      const { held, charged, difference } = auditAccount(account(0, { profile, outcomes }))
      expect([held, charged, difference]).toEqual([1_000_000, 0, 0])
    }
  })

  test('an account adds up when a settled call has a second hold that will be given back', () => {
    const profile = { credits: 8_000_000, holds: { c1: heldAs(2, holdOf(1_000_000)) } }
    const outcomes = [settledOf('u', 'c1', 1_000_000)]
    const { held, charged, difference } = auditAccount(account(0, { profile, outcomes }))
    expect([held, charged, difference]).toEqual([1_000_000, 1_000_000, 0])
  })
})

describe('an account that does not add up', () => {
  test('a refund that was given twice is found, and the place to look is named', () => {
    const outcomes = [refundedOf('u', 'c1', 500_000), refundedOf('u', 'c2', 700_000)]
    const { difference, faults } = auditAccount(account(10_500_000, { outcomes }))
    expect(difference).toBe(500_000)
    expect(faults).toEqual([
      'the sum is more than was granted',
      'with exactly that amount: call c1, refunded (upstream_failed)',
    ])
  })

  test('a correction that was recorded without being taken is found', () => {
    const grants = [GRANT, { grantId: 'k1', amount: -500_000 }]
    const { difference, faults } = auditAccount(account(10_000_000, { grants }))
    expect(difference).toBe(500_000)
    expect(faults).toEqual([
      'the sum is more than was granted',
      'with exactly that amount: correction k1',
    ])
  })

  test('a grant that was added without its record, or recorded without being added, is found', () => {
    expect(auditAccount(account(10_000_000, { grants: [] })).difference).toBe(10_000_000)
    const { difference, faults } = auditAccount(account(0))
    expect(difference).toBe(-10_000_000)
    expect(faults).toEqual([
      'the sum is less than was granted',
      'with exactly that amount: grant initial',
    ])
  })

  test('a hold that was lost without an outcome is found', () => {
    const { difference, faults } = auditAccount(account(9_999_999))
    expect([difference, faults]).toEqual([-1, ['the sum is less than was granted']])
  })

  test('a fault names at most five places, and how many more there are', () => {
    const outcomes = Array.from({ length: 7 }, (_, i) => refundedOf('u', `c${i}`, 1_000_000))
    const { faults } = auditAccount(account(11_000_000, { outcomes }))
    expect(faults).toHaveLength(7)
    expect(faults.at(-1)).toBe('with exactly that amount: 2 more')
  })

  test('money without a user is found', () => {
    const { difference, faults } = auditAccount(account(0, { profile: undefined }))
    expect(difference).toBe(-10_000_000)
    expect(faults[0]).toBe('has ledger records but no profile')
  })

  test('a record that cannot be read is a fault, even if the rest adds up', () => {
    const unreadable = ['stored item ledger:u/c9: amount is not an amount of credits']
    expect(auditAccount(account(10_000_000, { unreadable })).faults).toEqual(unreadable)
  })
})
