import { expect, test } from 'vitest'
import { judgeRefresh } from '../../../core/login/login.ts'

const LOGIN = { generation: 3, rotatedAtMs: 2_000_000_000_000 }

test.each([
  [0, 0, 'unknown'],
  [4, 0, 'unknown'],
  [3, 0, 'rotate'],
  [3, 60_000, 'rotate'],
  [2, 59_999, 'repeat'],
  [2, 60_000, 'reused'],
  [1, 0, 'reused'],
])('token %d of 3, %d ms after the third, is judged %3$s', (generation, afterMs, verdict) => {
  expect(judgeRefresh(LOGIN, generation, LOGIN.rotatedAtMs + afterMs)).toBe(verdict)
})
