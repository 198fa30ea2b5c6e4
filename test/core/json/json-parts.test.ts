import { describe, expect, test } from 'vitest'
import { hasMoreParts } from '../../../core/json/json-parts.ts'
import { JSON_NAMES_MAX, JSON_PARTS_MAX } from '../../../core/json/limits.ts'
import { parseText } from '../../../core/json/parse-json.ts'

const MANY = 1_000_000

describe('the parts of JSON', () => {
  test.each([
    ['[]', 1],
    ['[1,2,3]', 3],
    ['{"a":1,"b":[{}]}', 6],
    ['["[{,:",1]', 2],
    ['["\\"[{,:",1]', 2],
  ])('%s has %i of them', (text, parts) => {
    const isOver = (partsMax: number) => hasMoreParts(text, { partsMax, namesMax: MANY })
    expect([isOver(parts - 1), isOver(parts)]).toEqual([true, false])
  })

  test.each([
    ['[{"a":1},{"a":2},{ "a" : 3 }]', 1],
    ['{"a":{"b":1,"c":"d"},"c":1}', 3],
    ['{"a\\"b":1,"a\\"c":1}', 2],
  ])('%s has %i names that differ', (text, names) => {
    const isOver = (namesMax: number) => hasMoreParts(text, { partsMax: MANY, namesMax })
    expect([isOver(names - 1), isOver(names)]).toEqual([true, false])
  })

  test('records of the same names may be as many as there are parts', () => {
    const limits = { partsMax: JSON_PARTS_MAX, namesMax: JSON_NAMES_MAX }
    const records = (count: number) => `[${Array(count).fill('{"a":1,"b":2}').join(',')}]`
    expect(hasMoreParts(records(140_000), limits)).toBe(false)
    expect(hasMoreParts(records(140_001), limits)).toBe(true)
  })
})

test('JSON with more parts than the limit is refused before it is parsed', () => {
  const limits = { subject: 'the answer', parts: { partsMax: 4, namesMax: 2 } }
  expect(parseText('[1,2,3,4]', limits)).toEqual({ ok: true, value: [1, 2, 3, 4] })
  const refused = {
    ok: false,
    error: {
      code: 'too_large',
      detail: 'the answer: has over 4 names and values, or 2 different names; ask for less',
    },
  }
  expect(parseText('[1,2,3,4,5]', limits)).toEqual(refused)
})
