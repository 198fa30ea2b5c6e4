/** The bytes of a text are those that UTF-8 gives it. */
import { expect, test } from 'vitest'
import { bytesOf } from '../../../core/json/text-bytes.ts'

test('a text has the bytes of its characters in UTF-8, and three for half a surrogate pair', () => {
  const texts = ['', 'plain\n\u0000', '\u007f', '\u0080', 'é', '€', '😀', 'a\ud83d']
  expect(texts.map(bytesOf)).toEqual([0, 7, 1, 2, 2, 3, 4, 4])
})
