import { expect, test } from 'vitest'
import { wrapWords } from '../../../adapters/formats/wrap-words.ts'

test('words fill rows up to the width, and one more character begins the next row', () => {
  expect(wrapWords('ab cd ef', 5)).toEqual(['ab cd', 'ef'])
  expect(wrapWords('ab cd ef', 4)).toEqual(['ab', 'cd', 'ef'])
})

test('a word longer than a row has a row of its own', () => {
  expect(wrapWords('a abcdefgh b', 4)).toEqual(['a', 'abcdefgh', 'b'])
})
