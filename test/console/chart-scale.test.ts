/** The scale of charts: numbers in, numbers out. */
import { expect, test } from 'vitest'
import { countSteps, isLabelled, moveChoice, toScaleEnd } from '../../console/parts/chart-scale.ts'

test.each([
  [0, 1],
  [-3, 1],
  [1, 1],
  [1.0001, 2],
  [3, 5],
  [5, 5],
  [6, 10],
  [0.3, 0.5],
  [0.05, 0.05],
  [0.1 + 0.2, 0.5],
  [10_000, 10_000],
  [10_001, 20_000],
])('an axis for %d ends at %d', (value, end) => {
  expect(toScaleEnd(value)).toBe(end)
})

test.each([1, 2, 5, 10, 20, 50, 100, 2_000])(
  'an axis up to %d has whole numbers at its lines',
  (end) => {
    expect(Number.isInteger(end / countSteps(end))).toBe(true)
  },
)

test('labels begin with the first bar and are never more than the most', () => {
  const labelled = (count: number) =>
    Array.from({ length: count }, (_, index) => index).filter((at) => isLabelled(at, count, 5))
  expect(labelled(24)).toEqual([0, 5, 10, 15, 20])
  expect(labelled(3)).toEqual([0, 1, 2])
})

test('arrow keys begin at an end and stay inside', () => {
  expect([moveChoice(undefined, 1, 3), moveChoice(undefined, -1, 3)]).toEqual([0, 2])
  expect([moveChoice(2, 1, 3), moveChoice(0, -1, 3), moveChoice(1, -1, 3)]).toEqual([2, 0, 0])
})
