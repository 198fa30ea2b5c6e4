import { describe, expect, test } from 'vitest'
import { writeFailureMessage } from '../../../core/call/failure-messages.ts'
import { ERRORS, type ErrorCode } from '../../../core/errors.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe('advice', () => {
  test.each(codes)('has whole sentences for %s, with and without a detail', (code) => {
    expect(writeFailureMessage({ code })).toMatch(/^[A-Z].*\.$/s)
    expect(writeFailureMessage({ code, detail: 'Something  particular' })).not.toContain(
      'undefined',
    )
  })

  test('says when a call was cut, that it is free, and that it may have run', () => {
    expect(writeFailureMessage({ code: 'timed_out', afterMs: 15000, free: true })).toBe(
      'The tool did not answer within 15 s and was stopped. The call costs nothing: the credits it held were refunded. Ask for less at once, or try again later. The service may have done the work anyway.',
    )
  })

  test('promises no refund that is not certain', () => {
    const advice = writeFailureMessage({ code: 'timed_out', afterMs: 15000, free: false })
    expect(advice).toContain('not certain')
    expect(advice).not.toContain('refunded')
  })

  test('quotes the detail and closes its sentence', () => {
    expect(
      writeFailureMessage({ code: 'insufficient_credits', detail: 'It costs 2, there is 1' }),
    ).toBe('It costs 2, there is 1. Tell the user, or use a cheaper tool. No credits were charged.')
    expect(writeFailureMessage({ code: 'not_found', detail: 'Why? ' })).toBe('Why?')
  })

  test('does not say twice that nothing was charged', () => {
    const detail = 'The client cannot be asked. It was not charged.'
    expect(writeFailureMessage({ code: 'client_capability_missing', detail })).toBe(
      'The client cannot be asked. It was not charged. Calling it again does not help; use another tool, or another client.',
    )
    expect(
      writeFailureMessage({ code: 'malformed', detail: 'Too late. It was not charged.' }),
    ).toBe('Too late. It was not charged.')
  })

  test('says how long to wait', () => {
    expect(writeFailureMessage({ code: 'rate_limited', retryAfterSec: 7 })).toContain('Wait 7 s')
    expect(writeFailureMessage({ code: 'rate_limited' })).toContain('Wait a minute')
  })

  test('lists ten faults and counts the rest', () => {
    const faults = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        pointer: i === 0 ? '' : `/a${i}`,
        message: 'is bad',
      }))
    const lines = writeFailureMessage({ code: 'invalid_arguments', faults: faults(12) }).split('\n')
    expect(lines).toHaveLength(12)
    expect(lines[1]?.trim()).toBe('- arguments: is bad')
    expect(lines[2]?.trim()).toBe('- /a1: is bad')
    expect(lines[11]).toBe('- and 2 more')
    expect(writeFailureMessage({ code: 'invalid_arguments', faults: faults(10) })).not.toContain(
      'more',
    )
  })
})
