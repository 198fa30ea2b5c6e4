import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countBase64Bytes, encodeBase64, encodeBase64Text } from '../../../core/json/base64.ts'

test.each([
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['ü👍', 'w7zwn5GN'],
])('the base64 of %j is %j', (text, encoded) => {
  expect(encodeBase64Text(text)).toBe(encoded)
})

test('any number of bytes survives a round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(3), (bytes, times) => {
      const long = new Uint8Array(Array.from({ length: times * 600 }, () => [...bytes]).flat())
      expect(Buffer.from(encodeBase64(long), 'base64').equals(long)).toBe(true)
      if (long.length > 0) expect(countBase64Bytes(encodeBase64(long))).toBe(long.length)
    }),
    { seed: 6, numRuns: 50 },
  )
})

describe('text that is not padded base64', () => {
  test.each([
    [''],
    ['A'],
    ['AA'],
    ['AAA'],
    ['===='],
    ['A==='],
    ['AA=A'],
    ['AA A'],
    ['AA\nA'],
    ['AA-_'],
    ['AAAA\n'],
  ])('the text %j has no length in base64', (text) => {
    expect(countBase64Bytes(text)).toBeUndefined()
  })
})

test('a text of five megabytes is judged', () => {
  expect(countBase64Bytes('A'.repeat(5_333_336))).toBe(4_000_002)
  expect(countBase64Bytes(`${'A'.repeat(5_333_335)}-`)).toBeUndefined()
})
