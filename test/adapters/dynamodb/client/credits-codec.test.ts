import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseBalance,
  parseMicroCredits,
  toStoredBalance,
  toStoredCredits,
} from '../../../../adapters/dynamodb/client/credits-codec.ts'

describe('credits in the store', () => {
  test.each([
    [0, '0'],
    [1, '0.000001'],
    [99_500_000, '99.5'],
    [100_000_000, '100'],
    [9_007_199_254_740_991, '9007199254.740991'],
  ])('%d micro-credits are stored as %s', (micro, text) => {
    expect(toStoredCredits(micro).value).toBe(text)
    expect(parseMicroCredits(text)).toBe(micro)
  })

  test.each([-1, 0.5, Number.NaN, 9_007_199_254_740_992])(
    '%d is refused as an amount of credits',
    (micro) => {
      expect(() => toStoredCredits(micro)).toThrow('is not a whole number of micro-credits')
    },
  )

  test.each([
    ['1E+2', 100_000_000],
    ['1e-6', 1],
    ['0E-7', 0],
    ['99.5000000', 99_500_000],
  ])("accept DynamoDB's spelling %s too", (text, micro) => {
    expect(parseMicroCredits(text)).toBe(micro)
  })

  test.each(['-1', '0.0000001', '9007199254.740992', '', 'x', '1e400'])('refuse %j', (text) => {
    expect(parseMicroCredits(text)).toBeUndefined()
  })

  test.each([
    [0, '0'],
    [-1, '-0.000001'],
    [-99_500_000, '-99.5'],
    [-9_007_199_254_740_991, '-9007199254.740991'],
  ])('a balance of %d is stored as %s', (micro, text) => {
    expect(toStoredBalance(micro).value).toBe(text)
    expect(parseBalance(text)).toBe(micro)
  })

  test.each(['--1', '-', '-0.0000001', '-9007199254.740992'])(
    '%j is refused as a balance',
    (text) => {
      expect(parseBalance(text)).toBeUndefined()
    },
  )

  test('lose no digit when they are written and read', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (micro) => {
        expect(parseMicroCredits(toStoredCredits(micro).value)).toBe(micro)
      }),
    )
  })
})
