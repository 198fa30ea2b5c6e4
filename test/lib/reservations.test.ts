import { describe, expect, test } from 'vitest'
import { planReservations, sumReservations, UNRESERVED_MIN } from '../../lib/reservations.ts'
import { findStageErrors } from '../../lib/stage-rules.ts'
import { getStage } from '../../lib/stages.ts'

const PROD = getStage('prod')

describe('the reservations for an account', () => {
  test('the reservations for a quota of 1,000 leave what Lambda keeps free, and room for the other functions', () => {
    const reserved = planReservations(1_000, 100)
    expect(reserved).toEqual({ sse: 100, messages: 100, mcp: 340, execute: 170, admin: 20 })
    expect(sumReservations(reserved)).toBe(730)
  })

  test.each([
    [1_000, 100],
    [3_000, 100],
    [10_000, 1_000],
    [520, 100],
    [160, 10],
  ])('the reservations for %d with %d for streams keep the rules of stages', (quota, streams) => {
    const reservedConcurrency = planReservations(quota, streams)
    expect(reservedConcurrency).toBeDefined()
    expect(sumReservations(reservedConcurrency)).toBeLessThanOrEqual(quota - UNRESERVED_MIN)
    const stage = { ...PROD, sseConcurrency: streams, accountConcurrency: quota }
    expect(findStageErrors({ ...stage, reservedConcurrency })).toEqual([])
  })

  test('an account in which mcp would get less than its streams gets none', () => {
    expect(planReservations(519, 100)).toBeUndefined()
    expect(planReservations(10, 10)).toBeUndefined()
  })

  test('nothing is reserved by no reservations', () => {
    expect(sumReservations(undefined)).toBe(0)
  })
})
