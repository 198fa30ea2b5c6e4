import { expect, test } from 'vitest'
import { jsonPointer } from '../../../core/json/json-pointer.ts'

test('the whole document is the empty pointer', () => {
  expect(jsonPointer([])).toBe('')
})

test('names and indexes are joined by slashes', () => {
  expect(jsonPointer(['a', 0, '', 'c'])).toBe('/a/0//c')
})

test('slash and tilde in a name are escaped as RFC 6901 says', () => {
  expect(jsonPointer(['a/b', 'm~n', '~1'])).toBe('/a~1b/m~0n/~01')
})
