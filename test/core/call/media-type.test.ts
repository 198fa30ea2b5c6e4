import { expect, test } from 'vitest'
import { parseMediaType } from '../../../core/call/media-type.ts'

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
