import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import { makeMask, maskJson, NO_MASK } from '../../../core/response/mask.ts'

const mask = makeMask([
  ['KEY', 'abc"defgh'],
  ['PIN', '12345678'],
])

describe('a secret in parsed JSON', () => {
  test.each<[string, Json, Json]>([
    ['in a text', 'x abc"defgh', 'x [secret KEY]'],
    ['deep inside', { a: [[{ b: 'abc"defgh' }]] }, { a: [[{ b: '[secret KEY]' }]] }],
    ['in a name', { 'abc"defgh': 1 }, { '[secret KEY]': 1 }],
    ['as a number, which becomes a text', [12345678, 1], ['[secret PIN]', 1]],
    ['within a number', [0.12345678], ['0.[secret PIN]']],
  ])('a secret is masked %s', (_, value, expected) => {
    expect(maskJson(value, mask)).toEqual(expected)
  })
})

test('a value without a secret is returned as it is', () => {
  const value = { a: ['abc', 1234567, null, true] }
  expect(maskJson(value, mask)).toBe(value)
  expect(maskJson(value, NO_MASK)).toBe(value)
})
