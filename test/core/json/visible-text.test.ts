/** What a terminal gets of text that controls it or hides. */
import { describe, expect, test } from 'vitest'
import { escapeHiddenJson, escapeHiddenText } from '../../../core/json/visible-text.ts'

describe('text for a terminal', () => {
  test.each([
    ['a control of C0', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['delete', 'a\u007fb', 'a\\u{7f}b'],
    ['a control of C1', 'a\u009b31mb', 'a\\u{9b}31mb'],
    ['a mark of direction', 'a\u202eb\u2066c\u061cd', 'a\\u{202e}b\\u{2066}c\\u{61c}d'],
    ['a space of no width', 'a\u200bb\ufeffc', 'a\\u{200b}b\\u{feff}c'],
    ['a tag', 'a\u{E0041}\u{E007F}b', 'a\\u{e0041}\\u{e007f}b'],
    ['a selector beyond the common ones', 'a\u{E0100}b', 'a\\u{e0100}b'],
    ['a filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a separator of lines', 'a\u2028b', 'a\\u{2028}b'],
    ['half of a pair', 'a\ud800b', 'a\\u{d800}b'],
  ])('%s is shown as an escape', (_what, text, shown) => {
    expect(escapeHiddenText(text)).toBe(shown)
  })

  test('line feeds, tabs, letters of all scripts, joiners and emoji stay', () => {
    const text = 'a\n\tä 漢字 می‌خواهم 👩‍💻 ❤️ ǎ'
    expect(escapeHiddenText(text)).toBe(text)
  })
})

describe('JSON for a terminal', () => {
  test('JSON with hidden characters is ASCII escapes of the same value', () => {
    const value = { 'a\u009b': 'b\u202e\u{E0041}\u007f', n: ['\u001b', '\u200b'] }
    const shown = escapeHiddenJson(JSON.stringify(value, null, 2))
    expect(shown).toBe(
      '{\n  "a\\u009b": "b\\u202e\\udb40\\udc41\\u007f",\n  "n": [\n    "\\u001b",\n    "\\u200b"\n  ]\n}',
    )
    expect(JSON.parse(shown)).toEqual(value)
  })
})
