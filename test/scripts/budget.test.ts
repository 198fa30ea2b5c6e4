/** The byte budget of the bundles: what it refuses. */
import { describe, expect, test } from 'vitest'
import { budgetFaults } from '../../scripts/budget.ts'

const door = (bytes: number) => ({ door: 'sse', bytes, gzBytes: 1 })

describe('the byte budget', () => {
  test('takes a door at its budget', () => {
    expect(budgetFaults([door(100)], { sse: 100 })).toEqual([])
  })

  test('refuses one byte more, and says how much', () => {
    expect(budgetFaults([door(101)], { sse: 100 })).toEqual([
      'sse: 101 bytes, 1 over its budget of 100',
    ])
  })

  test('refuses a door without a budget, and a budget without a door', () => {
    expect(budgetFaults([door(1)], { mcp: 100 })).toEqual([
      'sse: has no budget; add one to bench/budget.json',
      'mcp: has a budget and no bundle',
    ])
  })
})
