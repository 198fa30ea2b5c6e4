import { describe, expect, test } from 'vitest'
import { shortenText } from '../../../core/openapi/fields.ts'

describe('a text that is shortened', () => {
  test.each([
    ['at the limit is kept', 'abcde', 'abcde'],
    ['past the limit ends in …', 'abcdef', 'abcd…'],
    ['has no space before …', 'abc defg', 'abc…'],
    ['has no space at its ends', '  abcde ', 'abcde'],
    ['keeps whole code points', '😀😀😀😀😀😀', '😀😀😀😀…'],
    ['of as many code points as the limit is kept', '😀😀😀😀😀', '😀😀😀😀😀'],
    ['has a space for a control character', 'a\u0007b', 'a b'],
    ['keeps line breaks', 'a\r\nb', 'a\nb'],
    ['has no half of a pair', 'abc\ud800def', 'abc\ufffd…'],
  ])('to five characters, which %s', (_, text, short) => {
    expect(shortenText(text, 5)).toBe(short)
  })
})
