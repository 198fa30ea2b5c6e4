/** Times as a person says them, at the limits of each unit. */
import { expect, test } from 'vitest'
import { formatRelative } from '../../cli/terminal/relative-time.ts'

const NOW_MS = Date.parse('2026-11-27T12:00:00Z')
const S = 1_000
const MIN = 60 * S
const H = 60 * MIN
const DAY = 24 * H

test.each([
  [0, 'just now'],
  [MIN - 1, 'just now'],
  [MIN, '1 min ago'],
  [H - 1, '59 min ago'],
  [H, '1 h ago'],
  [DAY - 1, '23 h ago'],
  [DAY, '1 day ago'],
  [2 * DAY, '2 days ago'],
  [31 * DAY - 1, '30 days ago'],
  [31 * DAY, '2026-10-27'],
])('%i ms ago is written as %s', (ms, text) => {
  expect(formatRelative(NOW_MS - ms, NOW_MS)).toBe(text)
})

test.each([
  [5 * S, 'just now'],
  [5 * S + 1, 'in a moment'],
  [30 * S - 1, 'in a moment'],
  [30 * S, 'in 1 min'],
  [H - S, 'in 1 h'],
  [3 * H, 'in 3 h'],
  [7 * DAY - S, 'in 7 days'],
  [40 * DAY, '2027-01-06'],
])('%i ms ahead is written as %s', (ms, text) => {
  expect(formatRelative(NOW_MS + ms, NOW_MS)).toBe(text)
})
