import { describe, expect, test } from 'vitest'
import {
  endOfHold,
  isInRow,
  leastHolds,
  oldestHolds,
  standing,
} from '../../../core/ledger/leftovers.ts'
import { heldAs, holdOf, profileOf, refundedOf, settledOf } from '../../contracts/fresh.ts'

const NOW_MS = 2_000_000_000_000
const holdAt = (placement: number, heldAtMs = NOW_MS) =>
  heldAs(placement, holdOf(100, { heldAtMs }))
const HOLDS = { c3: holdAt(3), c1: holdAt(1), c2: holdAt(2) }

describe('a leftover of a charged call', () => {
  test('a hold of a settled call is left behind, and one of a refunded call, of another number or of a running call stands', () => {
    const profile = profileOf('u', { credits: 5, holds: HOLDS })
    const ended = [
      settledOf('u', 'c1', 100),
      refundedOf('u', 'c2', 100),
      settledOf('u', 'c3', 100),
      settledOf('u', 'gone', 100),
    ]
    const { credits, holds, leftovers } = standing(profile, ended)
    expect([credits, Object.keys(holds), leftovers]).toEqual([
      5,
      ['c3', 'c2'],
      [{ callId: 'c1', placement: 1 }],
    ])
  })

  test('a name that every object has is the call of no hold', () => {
    expect(standing({ holds: {} }, [settledOf('u', 'constructor', 1)]).leftovers).toEqual([])
  })

  test('the holds that may be leftovers are the two with the lowest numbers', () => {
    expect(oldestHolds(HOLDS)).toEqual(['c1', 'c2'])
    expect(oldestHolds({})).toEqual([])
  })

  test('the least that a balance can be counts none of these but that of the call itself', () => {
    const profile = profileOf('u', { holds: HOLDS })
    expect(Object.keys(leastHolds(profile, 'c2').holds)).toEqual(['c3', 'c2'])
    expect(Object.keys(leastHolds(profile, 'c3').holds)).toEqual(['c3'])
  })
})

describe('a row of calls', () => {
  const calledAgo = (ms: number, more = {}) => [
    { ...settledOf('u', 'c1', 100), createdAtMs: NOW_MS - ms, ...more },
  ]

  test('a call is in a row for 90 s after a charged one, and not a millisecond longer', () => {
    expect(isInRow(calledAgo(90_000), NOW_MS)).toBe(true)
    expect(isInRow(calledAgo(90_001), NOW_MS)).toBe(false)
  })

  test('a call is in no row after a free or a refunded one, after none, or where the store leaves no hold behind', () => {
    expect(isInRow(calledAgo(1, { placement: 0 }), NOW_MS)).toBe(false)
    expect(isInRow(calledAgo(1, { state: 'refunded' }), NOW_MS)).toBe(false)
    expect(isInRow([], NOW_MS)).toBe(false)
    expect(isInRow(undefined, NOW_MS)).toBe(false)
  })
})

describe('the end of the hold of a charged call', () => {
  const young = holdAt(1, NOW_MS - 20_000)
  const old = holdAt(2, NOW_MS - 20_001)

  test('the hold of a call in no row is released', () => {
    expect(endOfHold(undefined, NOW_MS)).toBe('release')
  })

  test('the hold of a call in a row is left, if it found at most one other, and released beside two', () => {
    expect(endOfHold({}, NOW_MS)).toBe('leave')
    expect(endOfHold({ a: young }, NOW_MS)).toBe('leave')
    expect(endOfHold({ a: young, b: young }, NOW_MS)).toBe('release')
  })

  test('the hold of a call is released with the others, if it found only holds of more than 20 s', () => {
    expect(endOfHold({ a: old }, NOW_MS)).toBe('release-with')
    expect(endOfHold({ a: old, b: old, c: old }, NOW_MS)).toBe('release-with')
    expect(endOfHold({ a: old, b: young }, NOW_MS)).toBe('release')
  })
})
