/** The front matter of a guide's SKILL.md. */
import { expect, test } from 'vitest'
import { readFrontMatter } from '../../../adapters/formats/front-matter.ts'

test.each([
  ['---\nname: a\n---\n', { name: 'a' }],
  [
    '---\r\nname: a\r\nmetadata:\r\n  level: "2"\r\n---\r\n# A\r\n',
    { name: 'a', metadata: { level: '2' } },
  ],
  ['--- \nname: a\n---', { name: 'a' }],
  ['---\nname: a\n---\n\n---\nname: b\n---\n', { name: 'a' }],
  ['---\ndescription: |\n  One.\n\n  --- two\n---\n', { description: 'One.\n\n--- two\n' }],
])('the front matter of %j is read', (text, value) => {
  expect(readFrontMatter(text)).toEqual({ ok: true, value })
})

test.each([
  '',
  'name: a',
  '\n---\nname: a\n---\n',
  '\ufeff---\nname: a\n---\n',
  '---\nname: a\n',
  '----\n---\n',
])('a text without front matter at its beginning is refused: %j', (text) => {
  expect(readFrontMatter(text)).toMatchObject({ ok: false, error: { code: 'invalid_skill' } })
})

test.each(['name: *a', 'name: &a b', 'name: !x b', 'a: 1\na: 2', '- a', 'n: 1e999'])(
  'YAML that JSON cannot hold is refused: %j',
  (yaml) => {
    expect(readFrontMatter(`---\n${yaml}\n---\n`).ok).toBe(false)
  },
)
