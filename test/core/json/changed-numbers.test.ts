import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findChangedNumbers } from '../../../core/json/changed-numbers.ts'

const pointers = (text: string, under: readonly string[] = []) =>
  findChangedNumbers(text, under).map(({ pointer }) => pointer)

describe('a number that JSON.parse would change', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '1e999',
    '-1e999',
    '1e-400',
    '0.1234567890123456789',
    '3.14159265358979323846',
    '0.30000000000000002',
    '1.00000000000000000001',
    '9007199254740993.0',
    '90071992547409.93e2',
    '9007199254740993e0',
  ])('is found: %s', (number) => {
    expect(pointers(`{"a":[1,${number}]}`)).toEqual(['/a/1'])
    expect(pointers(`[ ${number} ]`)).toEqual(['/0'])
  })

  test('is named, with what to do about it', () => {
    expect(findChangedNumbers('{"id":9007199254740993}', [])).toEqual([
      {
        pointer: '/id',
        message:
          'is a number that would be changed on its way: it has more digits than a double keeps; send it as a string',
      },
    ])
  })

  test('is named by its pointer, whatever its names hold', () => {
    const text = String.raw`{"x":{"y":1}, "a/b": [ "1e999", {"c\"\u007e": 1e999 } ] , "d":"\\", "e":[[],{},1e999]}`
    expect(pointers(text)).toEqual(['/a~1b/1/c"~0', '/e/2'])
  })

  test('is looked for below one member alone', () => {
    const text = '{"id":1e999,"params":{"n":1e999,"arguments":{"a":1e999,"b":{"c":[1e999]}}}}'
    expect(pointers(text, ['params', 'arguments'])).toEqual(['/a', '/b/c/0'])
    expect(pointers('[1e999]', ['arguments'])).toEqual([])
  })

  test('is named 20 times at most', () => {
    const text = (count: number) => `[${Array.from({ length: count }, () => '1e999').join()}]`
    expect(pointers(text(20))).toHaveLength(20)
    expect(pointers(text(21))).toHaveLength(20)
  })
})

describe('a number that stays as it is written', () => {
  test.each([
    '0',
    '-0',
    '0.0',
    '0e0',
    '0.00000000000000000000',
    '1.0',
    '1.50',
    '100',
    '1e2',
    '1E+2',
    '1.5e-7',
    '0.1',
    '0.30000000000000004',
    '9007199254740992',
    '9007199254740994',
    '1000000000000000000000',
    '1.7976931348623157e308',
    '5e-324',
    '123456789012345678e-17',
  ])('is not refused: %s', (number) => {
    expect(pointers(`{"a":${number}}`)).toEqual(number === '123456789012345678e-17' ? ['/a'] : [])
  })

  test('a text that looks like a number is none', () => {
    expect(
      pointers(String.raw`{"9007199254740993":"9007199254740993","a\"1e999":"\\","b":"1e999"}`),
    ).toEqual([])
  })

  test('every double, as JSON writes it, stays as it is written', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (value, one) => {
          expect(pointers(JSON.stringify({ value, one }))).toEqual([])
        },
      ),
    )
  })

  test('a number stays as it is written when no digit of it is lost', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 20 }), (digits, zeros) => {
        const source = `${digits}${'0'.repeat(zeros)}`
        const isKept = BigInt(Number(source)) === BigInt(source)
        // The shortest text of a double may be another number than the double: 2^70 is written with zeros at
        // its end.
        if (pointers(`[${source}]`).length === 0)
          expect(Number(source)).toBe(Number(String(Number(source))))
        else expect(isKept && source === String(Number(source))).toBe(false)
      }),
    )
  })
})
