/** What a text that is not JSON is told: the place, and what is missing there. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findJsonFault } from '../../../core/json/json-fault.ts'

const describeFault = (text: string) => {
  const fault = findJsonFault(text)
  return fault === undefined ? undefined : `${fault.line}:${fault.column} ${fault.message}`
}

describe('the fault of a text', () => {
  test.each([
    ['{"a": 1\n "b": 2}', '2:2 a comma is missing before this name'],
    ['[1 2]', '1:4 a comma is missing before this value'],
    ['{"a" 1}', '1:6 a colon is missing after the name'],
    ['{"a": }', '1:7 a value is missing'],
    ['{\n  "a": [1,\n', '3:1 the array that opens at line 2, column 8 is not closed; add ]'],
    ['{"a": {"b": 1}', '1:15 the object that opens at line 1, column 1 is not closed; add }'],
    ['{"a": [1}', '1:9 the array that opens at line 1, column 7 is not closed'],
    ['{"a": 1,}', '1:8 this comma is one too many; nothing follows it'],
    ['[1,\r\n]', '1:3 this comma is one too many; nothing follows it'],
    ['[1,,2]', '1:4 this comma is one too many'],
    ['{"a": 1}}', '1:9 the JSON ends before this text; remove the text'],
    ["{'a': 1}", '1:2 a name in double quotes is missing'],
    ['{a: 1}', '1:2 a name in double quotes is missing'],
    ['{"a": \'x\'}', '1:7 a text is in double quotes (")'],
    ['{"a": True}', '1:7 this is not a value; a text is in double quotes'],
    ['{"a": 01}', '1:7 this is not a number of JSON'],
    ['{"a": .5}', '1:7 this is not a number of JSON'],
    ['{"a": "x\n}', '1:7 the text that begins here is not closed on its line; add "'],
    ['{"a": "x', '1:7 the text that begins here is not closed; add "'],
    ['["a\tb"]', '1:4 a control character, such as a tab, is written as an escape (\\t)'],
    ['["C:\\dir"]', '1:5 a backslash is written as \\\\ unless it begins an escape'],
    ['{"a": 1} // why', '1:10 JSON has no comments; remove this one'],
  ])('%j has its place and says what is wrong', (text, expected) => {
    expect(describeFault(text)).toBe(expected)
  })

  test('is there exactly if JSON.parse refuses the text', () => {
    const jsonText = fc
      .json({ maxDepth: 3 })
      .chain((text) => fc.tuple(fc.constant(text), fc.nat(text.length), fc.nat(2), CHARACTERS))
      .map(([text, at, removed, put]) => text.slice(0, at) + put + text.slice(at + removed))
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: 3000 },
    )
  })

  test('of a million brackets is found in one pass, without recursion', () => {
    expect(findJsonFault('['.repeat(1_000_000))?.offset).toBe(1_000_000)
  })
})

const CHARACTERS = fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', '\\', '0', 'e', '\n', ' ')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
