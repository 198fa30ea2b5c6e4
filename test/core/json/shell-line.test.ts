import { parse } from 'shell-quote'
import { expect, test } from 'vitest'
import { writeShellLine } from '../../../core/json/shell-line.ts'

test('a word that sh would change is quoted, and no other', () => {
  const url = 'https://gateway.example/mcp'
  expect(writeShellLine(['claude', "a 'b' $c", url])).toBe(`claude 'a '\\''b'\\'' $c' ${url}`)
})

test('sh reads the same words', () => {
  const words = [
    'skillgate',
    '',
    `'; rm -rf ~ #`,
    '$(id)',
    '`id`',
    'a\nb',
    '~',
    '*',
    'é',
    '\\',
    '"',
  ]
  expect(parse(writeShellLine(words))).toEqual(words)
})
