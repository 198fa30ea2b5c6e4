/** Differences of texts, line by line. */
import { expect, test } from 'vitest'
import { diffLines, LINE_PAIRS_MAX } from '../../../cli/upstreams/text-diff.ts'

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

test('texts whose middle has more pairs than the limit count as replaced', () => {
  const lines = Math.sqrt(LINE_PAIRS_MAX)
  const before = Array.from({ length: lines }, (_, index) => `old ${index}`)
  const after = Array.from({ length: lines }, (_, index) => `new ${index}`)
  before[5] = 'same'
  after[5] = 'same'
  const isKept = (all: readonly string[]) =>
    diffLines(all, after).some(({ mark, text }) => mark === ' ' && text === 'same')
  expect(isKept(before)).toBe(true)
  expect(isKept([...before, 'one more'])).toBe(false)
})
