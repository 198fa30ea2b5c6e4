/** Lengths of contents as the bundled Encryption SDK writes and reads them; test/adapters/kms/bundled.test.ts has whole messages. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import LengthNumber from '../../scripts/length-numbers.ts'

describe('a length', () => {
  test('a length is eight bytes with the highest first, and is read from them', () => {
    expect(new LengthNumber(0).toArray('be', 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(new LengthNumber(4_096).toArray('be', 8)).toEqual([0, 0, 0, 0, 0, 0, 16, 0])
    fc.assert(
      fc.property(fc.maxSafeNat(), (length) => {
        const bytes = new LengthNumber(length).toArray('be', 8)
        expect(Buffer.from(bytes).readBigUInt64BE()).toBe(BigInt(length))
        expect(new LengthNumber(bytes).toNumber()).toBe(length)
      }),
    )
  })

  test('a length of 53 bits is read, and none of 54', () => {
    expect(new LengthNumber([31, 255, 255, 255, 255, 255, 255]).toNumber()).toBe(2 ** 53 - 1)
    const over = new LengthNumber([32, 0, 0, 0, 0, 0, 0])
    expect(() => over.toNumber()).toThrow('kms: a length over 53 bits')
  })

  test('a length is no point of a curve', () => {
    const prime = new LengthNumber('ff')
    expect(prime.mod(new LengthNumber(4)).eq(new LengthNumber(3))).toBe(true)
    expect(prime.add(new LengthNumber(1)).div(new LengthNumber(4)).toNumber()).toBe(64)
    expect(prime.bitLength()).toBe(8)
    expect(() => prime.pow()).toThrow('kms: messages with a signature are not read')
  })
})
