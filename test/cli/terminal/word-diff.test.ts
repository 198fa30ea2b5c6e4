/** Differences of texts, line by line and word by word. */
import { expect, test } from 'vitest'
import { toOutput } from '../../../cli/terminal/output.ts'
import {
  diffLines,
  diffWords,
  EDITS_MAX,
  formatParts,
  writeParts,
} from '../../../cli/terminal/word-diff.ts'

const shown = (before: string, after: string) =>
  diffLines(before.split(''), after.split(''))
    .map(({ mark, text }) => `${mark}${text}`)
    .join(' ')

test.each([
  ['abc', 'abc', ''],
  ['abc', 'abxc', ' a  b +x  c'],
  ['abc', 'ac', ' a -b  c'],
  ['', 'ab', '+a +b'],
  ['ab', '', '-a -b'],
  ['abcdefgh', 'aXcdefgh', ' a -b +X  c  d …'],
  ['abcdefghij', 'Xbcdefghi', '-a +X  b  c …  h  i -j'],
  ['aab', 'ab', ' a -a  b'],
])('%s and %s differ in: %s', (before, after, lines) => {
  expect(shown(before.replaceAll(' ', ''), after)).toBe(lines)
})

test('two texts give each other: what is kept and removed is the old one, kept and added the new one', () => {
  let seed = 7
  const letter = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return 'ab\u00e9'[seed % 3] ?? ''
  }
  for (let round = 0; round < 200; round += 1) {
    const before = Array.from({ length: round % 9 }, letter)
    const after = Array.from({ length: (round * 7) % 9 }, letter)
    const lines = diffLines(before, after)
    if (lines.some(({ mark }) => mark === '…') || lines.length === 0) continue
    const side = (left: string) =>
      lines.filter(({ mark }) => mark === ' ' || mark === left).map(({ text }) => text)
    expect([side('-'), side('+')]).toEqual([before, after])
  }
})

test('lists with as many edits as the limit are compared, and with one more they count as replaced', () => {
  const before = Array.from({ length: EDITS_MAX / 2 }, (_, index) => `old ${index}`)
  const after = before.map((line) => line.replace('old', 'new'))
  const isKept = (more: readonly string[]) =>
    diffLines([...before, 'same'], [...after, 'same', ...more]).some(({ mark }) => mark === ' ')
  expect([isKept([]), isKept(['one more'])]).toEqual([true, false])
})

test('a changed text shows the words that are gone and new between those that stay', () => {
  const parts = diffWords('Lists all pets of a shop.', 'Lists some pets of the shop.')
  expect(formatParts(parts)).toBe('Lists [-all-]{+some+} pets of [-a-]{+the+} shop.')
})

test('on a terminal with colours the words have colours instead of marks', () => {
  const shown: string[] = []
  const output = toOutput({ write: (text) => shown.push(text), isTTY: true })
  writeParts(output, diffWords('all pets', 'no pets'))
  expect(shown.join('')).toBe('\u001b[31mall\u001b[0m \u001b[32mno\u001b[0m pets')
})
