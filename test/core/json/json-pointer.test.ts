import { describe, expect, test } from 'vitest'
import { readPointer, toJsonPointer } from '../../../core/json/json-pointer.ts'

test('the whole document is the empty pointer', () => {
  expect(toJsonPointer([])).toBe('')
})

test('names and indexes are joined by slashes', () => {
  expect(toJsonPointer(['a', 0, '', 'c'])).toBe('/a/0//c')
})

test('slash and tilde in a name are escaped as RFC 6901 says', () => {
  expect(toJsonPointer(['a/b', 'm~n', '~1'])).toBe('/a~1b/m~0n/~01')
})

describe('the value that a pointer names', () => {
  const document = { foo: ['bar', { x: null }], '': 0, 'a/b': 1, 'm~n': 8, '~1': 2, '01': 3 }

  test.each([
    ['', document],
    ['/foo', ['bar', { x: null }]],
    ['/foo/0', 'bar'],
    ['/foo/1/x', null],
    ['/', 0],
    ['/a~1b', 1],
    ['/m~0n', 8],
    ['/~01', 2],
    ['/01', 3],
  ])('the pointer %j finds its value', (pointer, value) => {
    expect(readPointer(document, pointer)).toEqual(value)
  })

  test.each([
    ['/bar'],
    ['/foo/2'],
    ['/foo/-'],
    ['/foo/-1'],
    ['/foo/00'],
    ['/foo/1e0'],
    ['/foo/length'],
    ['/foo/0/0'],
    ['/foo/1/x/y'],
    ['/toString'],
    ['/foo/9999999999999999'],
  ])('the pointer %j finds no value', (pointer) => {
    expect(readPointer(document, pointer)).toBeUndefined()
  })

  test('a pointer made of names finds the value under the same names', () => {
    for (const name of Object.keys(document)) {
      expect(readPointer({ x: { [name]: 'here' } }, toJsonPointer(['x', name]))).toBe('here')
    }
  })
})
