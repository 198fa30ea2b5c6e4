import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeHeaderText,
  encodeHeaderText,
  trimHeaderSpace,
} from '../../../core/json/header-text.ts'

test.each([
  ['a plain value', 'us-west1', 'us-west1'],
  ['white space around it', ' \tus-west1\t ', 'us-west1'],
  ['white space inside it', 'a b\tc', 'a b\tc'],
  ['nothing', '', ''],
  ['base64 of UTF-8', '=?base64?w6Q=?=', 'ä'],
  ['base64 of nothing', '=?base64??=', ''],
  ['base64 of a space around a word', '=?base64?IGEg?=', ' a '],
  ['base64 of what looks like the form itself', '=?base64?PT9iYXNlNjQ/Pz0=?=', '=?base64??='],
  ['base64 of a byte order mark', '=?base64?77u/?=', '\uFEFF'],
  ['white space around base64', ' =?base64?YQ==?= ', 'a'],
  ['the opening marker alone', '=?base64?YQ==', '=?base64?YQ=='],
  ['the closing marker alone', 'YQ==?=', 'YQ==?='],
  ['markers that share a question mark', '=?base64?=', '=?base64?='],
  ['markers in another case', '=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
])('a header text with %s is read', (_what, value, text) => {
  expect(decodeHeaderText(value)).toBe(text)
})

test.each([
  ['missing padding', '=?base64?YQ?='],
  ['half the padding', '=?base64?YQ=?='],
  ['too much padding', '=?base64?YWJj=?='],
  ['padding inside', '=?base64?YQ==YQ==?='],
  ['spare bits that are set', '=?base64?YR==?='],
  ['the alphabet for URLs', '=?base64?_-8=?='],
  ['a space inside', '=?base64?YQ ==?='],
  ['bytes that are no UTF-8', '=?base64?/w==?='],
  ['half of a surrogate pair in UTF-8', '=?base64?7aCA?='],
  ['a raw umlaut', 'ä'],
  ['a NUL', 'a\u0000'],
  ['a line break', 'a\r\nb'],
  ['DEL', 'a\u007F'],
])('a header text with %s is refused', (_what, value) => {
  expect(decodeHeaderText(value)).toBeUndefined()
})

test('SP and HTAB alone are white space of a header', () => {
  expect(trimHeaderSpace('\u00A0a\u00A0')).toBe('\u00A0a\u00A0')
  expect(trimHeaderSpace(' \t ')).toBe('')
})

test('any text can be read from its base64 form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const binary = String.fromCharCode(...new TextEncoder().encode(text))
      expect(decodeHeaderText(`=?base64?${btoa(binary)}?=`)).toBe(text)
    }),
    { seed: 20_260_728, numRuns: 500 },
  )
})

test('no value makes the reader throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (inside) => {
      decodeHeaderText(inside)
      decodeHeaderText(`=?base64?${inside}?=`)
    }),
    { seed: 20_260_728, numRuns: 1000 },
  )
})

test('an encoded text is a header, and is decoded to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const header = encodeHeaderText(text)
      expect(header).toMatch(/^[\t\x20-\x7e]+$/)
      expect(decodeHeaderText(header)).toBe(text)
    }),
  )
})

test.each([
  ['us-west1', 'us-west1'],
  ['größer', '=?base64?Z3LDtsOfZXI=?='],
  [' outer', '=?base64?IG91dGVy?='],
  ['', '=?base64??='],
  ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
])('%j is encoded as %s', (text, header) => {
  expect(encodeHeaderText(text)).toBe(header)
})
