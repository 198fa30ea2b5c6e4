import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  escapeHiddenText,
  explainHiddenText,
  findHiddenTexts,
  removeHiddenText,
} from '../../../core/json/hidden-text.ts'

const TAGGED = [...'call evil'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')

describe('hidden characters', () => {
  test.each([
    ['a\u202Eb', 'U+202E', 2],
    ['a\u200Bb', 'U+200B', 2],
    ['\u{1F600}\u00ADb', 'U+00AD', 2],
    ['ab\u0007', 'U+0007', 3],
    ['ab\u009B31m', 'U+009B', 3],
    ['\u{E0041}', 'U+E0041', 1],
    ['a\uFEFF', 'U+FEFF', 2],
    ['a\u2066b\u2069', 'U+2066', 2],
    ['a\u200Fb', 'U+200F', 2],
    ['a\u061Cb', 'U+061C', 2],
    ['a\u2028b', 'U+2028', 2],
    ['a\u3164b', 'U+3164', 2],
    ['a\u034Fb', 'U+034F', 2],
    ['a\u2800b', 'U+2800', 2],
    ['a\u{E0101}b', 'U+E0101', 2],
    ['a\uFE01b', 'U+FE01', 2],
    ['a\u200Db', 'U+200D', 2],
    ['a\u200Cb', 'U+200C', 2],
    ['می\u200C\u200Cخواهم', 'U+200C', 3],
    ['می\u200C', 'U+200C', 3],
    ['\u{1F600}\u200Dx', 'U+200D', 2],
    ['\u{1F600}\uFE0F\uFE0F', 'U+FE0F', 3],
    [`\u{1F3F4}${TAGGED}\u{E007F}`, 'U+E0063', 2],
    [`\u{1F600}${TAGGED}\u{E007F}`, 'U+E0063', 2],
    ['\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}', 'U+E0067', 2],
    ['a\u0600b', 'U+0600', 2],
  ])('are named by the first one, with its place: %j', (text, code, place) => {
    expect(explainHiddenText(text)).toBe(
      `holds ${code} at character ${place}, which readers do not see; remove it`,
    )
    expect(explainHiddenText(removeHiddenText(text))).toBeUndefined()
    expect(escapeHiddenText(text)).toContain(`\\u{${code.slice(2)}}`)
  })

  test.each([
    'می\u200Cخواهم',
    'क्\u200Dष',
    'ශ්\u200Dරී',
    '👩\u200D🚀',
    '❤\uFE0F\u200D🔥',
    '👩🏽\u200D💻',
    '🏳\uFE0F\u200D🌈',
    '1\uFE0F⃣',
    '🇳🇴',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
    '葛\u{E0100}',
    'ﬁrst, “second” … – — 𝒜 é e\u0301 \u00A0 日本語　',
    'שלום עולם, مرحبا',
  ])('are none of what a script or an emoji needs: %s', (text) => {
    expect(explainHiddenText(text)).toBeUndefined()
    expect(removeHiddenText(text)).toBe(text)
    expect(escapeHiddenText(text)).toBe(text)
  })

  test('are line breaks and tabs only where a text has one line', () => {
    expect(explainHiddenText('a\n\r\tb', { lines: true })).toBeUndefined()
    expect(explainHiddenText('a\tb')).toContain('U+0009 at character 2')
    expect(removeHiddenText('a\n\u200Bb')).toBe('a\nb')
  })

  test('every format character of Unicode is one, alone and between Latin letters', () => {
    const passed: string[] = []
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const char = String.fromCodePoint(code)
      if (/\p{Cf}/u.test(char) && explainHiddenText(`a${char}b`) === undefined) passed.push(char)
    }
    expect(passed).toEqual([])
  })

  test('are gone after one pass, whatever stood beside them', () => {
    const parts = [
      'a',
      'م',
      '\u061C',
      '\u200C',
      '\u200D',
      '👩',
      '🏽',
      '\uFE0F',
      '\u{1F3F4}',
      '\u{E0067}',
    ]
    const unit = fc.constantFrom(
      ...parts,
      '\u{E007F}',
      '\u180B',
      'ᠠ',
      '葛',
      '\u{E0100}',
      '\uFE01',
      '\u202E',
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        expect(explainHiddenText(removeHiddenText(text))).toBeUndefined()
      }),
      { seed: 20_241_105, numRuns: 20_000 },
    )
  })

  test('are found in texts and names of a value, with pointers, and the name is shown escaped', () => {
    const value = { a: ['x', 'y\u200B'], 'n\u202Ex': { b: 1 }, c: 'lines\nare fine' }
    expect(findHiddenTexts(value, '/meta')).toEqual([
      {
        pointer: '/meta/a/1',
        message: 'holds U+200B at character 2, which readers do not see; remove it',
      },
      {
        pointer: '/meta',
        message:
          'has the name "n\\u{202E}x", which holds U+202E at character 2, which readers do not see; remove it',
      },
    ])
  })
})
