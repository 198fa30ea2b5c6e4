/** Numbers that JSON.parse changes, on their way through the command line. */
import { describe, expect, test } from 'vitest'
import {
  ExactNumber,
  isExactObject,
  parseExactJson,
  parseExactNumber,
} from '../../../cli/gateway/exact-json.ts'

describe('JSON with exact numbers', () => {
  test('JSON is the same text again, whatever its numbers', () => {
    const text =
      '{"id":9007199254740993,"n":[1.0,-0,1e400,1E2,0.1000000000000000055511151231257827,12,0.5],"t":"1.0"}'
    expect(JSON.stringify(parseExactJson(text))).toBe(text)
  })

  test('a number that a double holds is a number, and another one converts like one', () => {
    const value = parseExactJson('[12, 0.5, 1.0]')
    expect(value).toEqual([12, 0.5, expect.any(ExactNumber)])
    const [exact] = [new ExactNumber('9007199254740993')]
    expect([`${exact}`, Number(exact), isExactObject(exact)]).toEqual([
      '9007199254740993',
      9007199254740992,
      false,
    ])
  })
})

describe('a number that a person types', () => {
  test.each([
    ['12', 12],
    ['1e3', 1000],
    ['+5', 5],
    ['.5', 0.5],
    ['0x10', 16],
  ])('%s is a number', (text, number) => {
    expect(parseExactNumber(text)).toBe(number)
  })

  test('a number with more digits than a double keeps stays as it was typed', () => {
    expect(JSON.stringify(parseExactNumber('9007199254740993'))).toBe('9007199254740993')
    expect(JSON.stringify(parseExactNumber('+9007199254740993'))).toBe('9007199254740993')
    expect(JSON.stringify(parseExactNumber('1e400'))).toBe('1e400')
  })

  test.each(['', ' ', 'x', '1.2.3', 'Infinity', '1_000', '0x20000000000001', '+.'])(
    '%j is no number',
    (text) => {
      expect(parseExactNumber(text)).toBe(undefined)
    },
  )
})
