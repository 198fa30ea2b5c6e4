/** JSON with comments: what becomes plain JSON, and what stays as it was. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blankComments } from '../../../core/json/json-comments.ts'

describe('a text that begins with a comment', () => {
  test('may have comments and trailing commas anywhere between its parts', () => {
    const text =
      '\uFEFF \n// a skill\n{"a": [1, 2, /* x */ ], // why\n /**/ "b": {"c": 1,\n},\r\n}\n// end'
    expect(JSON.parse(blankComments(text).replace('\uFEFF', ''))).toEqual({
      a: [1, 2],
      b: { c: 1 },
    })
  })

  test('keeps the line and the column of every other character', () => {
    const text = '/* two\nlines */ {"a": 1, // é\n "b": 2,\n}'
    const plain = blankComments(text)
    expect(plain.length).toBe(text.length)
    expect(plain.split('\n').map(({ length }) => length)).toEqual(
      text.split('\n').map(({ length }) => length),
    )
    expect(plain.indexOf('"b"')).toBe(text.indexOf('"b"'))
  })

  test('keeps what looks like a comment or a trailing comma inside a text', () => {
    const value = { url: 'https://a.example/*x*/?q=,]', b: 'a \\" // ,}' }
    expect(JSON.parse(blankComments(`// c\n${JSON.stringify(value)}`))).toEqual(value)
  })

  test.each(['//\n[,]', '//\n{,}', '//\n[1,,]', '//\n[1] /* open', '//\n{"a":,}'])(
    '%j is still not JSON',
    (text) => {
      expect(() => JSON.parse(blankComments(text))).toThrow(SyntaxError)
    },
  )

  test('with a comment that is opened 100,000 times is read in one pass', () => {
    expect(blankComments(`//\n${'/*'.repeat(100_000)}`).length).toBe(200_003)
  })
})

test('any JSON after a comment is read as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(blankComments(`/**/${text}`).slice(4)).toBe(text)
    }),
  )
})

test.each(['{"a": 1} // no', '# Markdown // with slashes', '', '/ no comment'])(
  'the text %j, which begins with no comment, is returned as it is',
  (text) => {
    expect(blankComments(text)).toBe(text)
  },
)
