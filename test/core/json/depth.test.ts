import { expect, test } from 'vitest'
import { isDeeperThan } from '../../../core/json/depth.ts'

test.each([
  [1, 0, false],
  [[], 0, true],
  [[], 1, false],
  [{ a: [] }, 1, true],
  [{ a: [] }, 2, false],
  [{ a: 1, b: { c: 'x' } }, 2, false],
  [{ a: 1, b: { c: 'x' } }, 1, true],
])('the value %j is judged against the depth %i', (value, depthMax, expected) => {
  expect(isDeeperThan(value, depthMax)).toBe(expected)
})

test('the depth of a hundred thousand brackets does not exhaust the stack', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000)
  expect(isDeeperThan(JSON.parse(text), 99_999)).toBe(true)
  expect(isDeeperThan(JSON.parse(text), 100_000)).toBe(false)
})
