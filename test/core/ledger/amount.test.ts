import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CREDITS_MAX,
  formatCredits,
  MICRO_PER_CREDIT,
  parseCreditChange,
  parseCredits,
  toCreditsNumber,
} from '../../../core/ledger/amount.ts'

const micro = (value: number | string) => {
  const read = parseCredits(value)
  return read.ok ? read.value : read.error
}

describe('parseCreditChange', () => {
  test.each([
    [2.5, 2_500_000],
    [-2.5, -2_500_000],
    [-1e-6, -1],
    ['-0.000001', -1],
    ['-100000000', -100_000_000_000_000],
    [-0, 0],
    ['-0', 0],
  ])('reads %s exactly', (value, expected) => {
    expect(parseCreditChange(value)).toEqual({ ok: true, value: expected })
  })

  test.each([
    ['--1', 'is not a decimal number; send one such as 12.5'],
    ['-', 'is not a decimal number; send one such as 12.5'],
    [Number.NEGATIVE_INFINITY, 'is not a decimal number; send one such as 12.5'],
    [-1e-7, 'has more than 6 decimals; round it to 0.000001'],
    ['-100000000.000001', 'is over the limit of 100000000'],
  ])('refuses %s and says why', (value, error) => {
    expect(parseCreditChange(value)).toEqual({ ok: false, error })
  })
})

describe('parseCredits', () => {
  test.each([
    [0, 0],
    [-0, 0],
    [0.1, 100_000],
    [2.5, 2_500_000],
    [1e3, 1_000_000_000],
    [1e-6, 1],
    [0.000001, 1],
    [0.3, 300_000],
    [1.1, 1_100_000],
    ['0.001', 1_000],
    ['1e3', 1_000_000_000],
    ['1.50E+2', 150_000_000],
    ['0.0000010', 1],
    ['007', 7_000_000],
    [100_000_000, 100_000_000_000_000],
    ['99999999.999999', 99_999_999_999_999],
  ])('reads %s exactly', (value, expected) => {
    expect(micro(value)).toBe(expected)
  })

  test.each([
    [-1, 'is negative; send 0 or more credits'],
    ['-0.000001', 'is negative; send 0 or more credits'],
    [Number.NaN, 'is not a decimal number; send one such as 12.5'],
    [Number.POSITIVE_INFINITY, 'is not a decimal number; send one such as 12.5'],
    ['', 'is not a decimal number; send one such as 12.5'],
    ['1,5', 'is not a decimal number; send one such as 12.5'],
    [' 1', 'is not a decimal number; send one such as 12.5'],
    ['0x10', 'is not a decimal number; send one such as 12.5'],
    [1e-7, 'has more than 6 decimals; round it to 0.000001'],
    [0.1 + 0.2, 'has more than 6 decimals; round it to 0.000001'],
    ['100000000.000001', 'is over the limit of 100000000'],
    [1e21, 'is over the limit of 100000000'],
    ['1e9999', 'is over the limit of 100000000'],
  ])('refuses %s and says why', (value, expected) => {
    expect(micro(value)).toBe(expected)
  })

  test('gives back every amount that it wrote, as text and as a JSON number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: CREDITS_MAX }), (amount) => {
        expect(micro(formatCredits(amount))).toBe(amount)
        expect(micro(JSON.parse(JSON.stringify(toCreditsNumber(amount))))).toBe(amount)
      }),
    )
  })

  test('never returns anything but a whole number from 0 to the limit, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.string(), fc.float().map(String)), (value) => {
        const read = parseCredits(value)
        if (!read.ok) return
        expect(Number.isInteger(read.value)).toBe(true)
        expect(read.value >= 0 && read.value <= CREDITS_MAX).toBe(true)
      }),
    )
  })
})

describe('formatCredits', () => {
  test.each([
    [0, '0'],
    [1, '0.000001'],
    [99_500_000, '99.5'],
    [100_000_000, '100'],
    [1_234_567, '1.234567'],
    [-500_000, '-0.5'],
    [100_000_000_000_000, '100000000'],
  ])('writes %i micro-credits as %s', (amount, expected) => {
    expect(formatCredits(amount)).toBe(expected)
  })
})

test('a credit has a million micro-credits', () => {
  expect(MICRO_PER_CREDIT).toBe(1_000_000)
  expect(toCreditsNumber(99_500_000)).toBe(99.5)
})
