import { describe, expect, test } from 'vitest'
import { reservationsFor, reservedInAll, UNRESERVED_MIN } from '../../lib/reservations.ts'
import { stageFaults } from '../../lib/stage-rules.ts'
import { stageNamed } from '../../lib/stages.ts'

const PROD = stageNamed('prod')

describe('the reservations for an account', () => {
  test('the reservations for a quota of 1,000 leave what Lambda keeps free, and room for the other functions', () => {
    const reserved = reservationsFor(1_000, 100)
    expect(reserved).toEqual({ sse: 100, messages: 100, mcp: 340, execute: 170, admin: 20 })
    expect(reservedInAll(reserved)).toBe(730)
  })

  test.each([
    [1_000, 100],
    [3_000, 100],
    [10_000, 1_000],
    [520, 100],
    [160, 10],
  ])('the reservations for %d with %d for streams keep the rules of stages', (quota, streams) => {
    const reservedConcurrency = reservationsFor(quota, streams)
    expect(reservedConcurrency).toBeDefined()
    expect(reservedInAll(reservedConcurrency)).toBeLessThanOrEqual(quota - UNRESERVED_MIN)
    const stage = { ...PROD, sseConcurrency: streams, accountConcurrency: quota }
    expect(stageFaults({ ...stage, reservedConcurrency })).toEqual([])
  })

  test('an account in which mcp would get less than its streams gets none', () => {
    expect(reservationsFor(519, 100)).toBeUndefined()
    expect(reservationsFor(10, 10)).toBeUndefined()
  })

  test('nothing is reserved by no reservations', () => {
    expect(reservedInAll(undefined)).toBe(0)
  })
})
