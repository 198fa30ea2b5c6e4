import { expect, test } from 'vitest'
import { detectFormat } from '../../../../core/skills/definition/skill-format.ts'

test.each([['{"id":1}'], ['\n\t {'], ['\uFEFF{'], ['{'], ['{{ no json']])(
  'the text %j begins with a brace, white space aside, and is unified JSON',
  (text) => {
    expect(detectFormat(text)).toBe('unified-json')
  },
)

test.each([['# Weather\n'], ['[]'], [''], ['"{"'], ['```json\n{}\n```'], ['\u200b{']])(
  'the text %j is Markdown',
  (text) => {
    expect(detectFormat(text)).toBe('markdown')
  },
)
