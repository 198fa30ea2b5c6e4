import { expect, test } from 'vitest'
import {
  KNOWN_CHARS_MAX,
  KNOWN_VALUES_MAX,
  parseMediaType,
} from '../../../core/response/media-type.ts'

test.each([
  ['text/html', { mediaType: 'text/html', charset: undefined }],
  [' Text/HTML ; Charset=ISO-8859-1', { mediaType: 'text/html', charset: 'iso-8859-1' }],
  ['text/html;charset="u\\tf-8"', { mediaType: 'text/html', charset: 'utf-8' }],
  ['text/html; a="x; charset=latin1"; charset=utf-8', { mediaType: 'text/html', charset: 'utf-8' }],
  ['text/html; charset=utf-8; charset=latin1', { mediaType: 'text/html', charset: 'utf-8' }],
  ['text/html;', { mediaType: 'text/html', charset: undefined }],
  ['application/vnd.api+json', { mediaType: 'application/vnd.api+json', charset: undefined }],
])('the media type %j is read', (value, expected) => {
  expect(parseMediaType(value)).toEqual(expected)
})

test.each([
  [''],
  ['text'],
  ['text/'],
  ['/html'],
  ['text/html charset=x'],
  ['text/html; charset'],
  ['a/b, c/d'],
])('the text %j is not a media type', (value) => {
  expect(parseMediaType(value)).toBeUndefined()
})

test('a hostile media type is judged in linear time: at quadratic cost this would take minutes', () => {
  expect(parseMediaType(`a/b${';'.repeat(200_000)}"`)).toBeUndefined()
  expect(parseMediaType(`a/b; c="${'\\"'.repeat(100_000)}`)).toBeUndefined()
  expect(parseMediaType(`a/b;${' '.repeat(200_000)}x`)).toBeUndefined()
})

test('a value is read once while 50 are kept; one more, and all are read again', () => {
  let nth = 0
  const readAnother = () => parseMediaType(`a/another${nth++}`)
  // Other tests filled the cache in part. This leaves two values in it: the last one, and the first.
  let first = parseMediaType('a/first')
  for (let read = first; read === first; read = parseMediaType('a/first')) readAnother()
  first = parseMediaType('a/first')
  for (let kept = 2; kept < KNOWN_VALUES_MAX; kept += 1) readAnother()
  expect(parseMediaType('a/first')).toBe(first)
  readAnother()
  expect(parseMediaType('a/first')).not.toBe(first)
  expect(parseMediaType('a/first')).toEqual({ mediaType: 'a/first', charset: undefined })
})

test('a value of 100 characters is kept, and none of 101', () => {
  const longest = 'a/'.padEnd(KNOWN_CHARS_MAX, 'b')
  expect(parseMediaType(longest)).toBe(parseMediaType(longest))
  const longer = `${longest}b`
  expect(parseMediaType(longer)).toEqual(parseMediaType(longer))
  expect(parseMediaType(longer)).not.toBe(parseMediaType(longer))
})
