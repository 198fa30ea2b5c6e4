/** The budgets of the bundles: what they refuse, and how often imports are measured. */
import { describe, expect, test } from 'vitest'
import { ALONE, ratioOf } from '../../bench/cold/import-time.ts'
import { DOORS } from '../../lib/doors.ts'
import { importFaults, measureUntilFit, readBudgets, sizeFaults } from '../../scripts/budget.ts'

const BUDGETS = { sse: { bytes: 100, zipBytes: 40, importRatioMax: 1.25 } }

const door = (bytes: number, zipBytes: number) => ({ door: 'sse', bytes, zipBytes })
const round = (sseMs: number, aloneMs: number) =>
  new Map([
    [ALONE, aloneMs],
    ['sse', sseMs],
  ])

describe('the byte budget', () => {
  test('the byte budget takes a door at its budget', () => {
    expect(sizeFaults([door(100, 40)], BUDGETS)).toEqual([])
  })

  test('the byte budget refuses one byte more, zipped or not, and says how much', () => {
    expect(sizeFaults([door(101, 41)], BUDGETS)).toEqual([
      'sse: 101 bytes, 1 over its budget of 100',
      'sse: 41 bytes zipped, 1 over its budget of 40',
    ])
  })

  test('the byte budget refuses a door without a budget, and a budget without a door', () => {
    expect(sizeFaults([{ door: 'mcp', bytes: 1, zipBytes: 1 }], BUDGETS)).toEqual([
      'mcp: has no budget; add one to bench/budget.json',
      'sse: has a budget and no bundle',
    ])
  })
})

describe('the import budget', () => {
  test('the import budget is a ratio to the client alone, in the median of the rounds', () => {
    const rounds = [round(50, 50), round(200, 100), round(60, 50)]
    expect(ratioOf('sse', rounds)).toBe(1.2)
  })

  test('the import budget takes a door at its limit, and refuses it past the limit', () => {
    expect(importFaults(BUDGETS, [round(125, 100)])).toEqual([])
    expect(importFaults(BUDGETS, [round(126, 100)])).toEqual([
      'sse: imports in 1.26 × the time of @aws-sdk/client-dynamodb alone, over its 1.25',
    ])
  })

  test('the import budget refuses a door that was not measured', () => {
    expect(importFaults(BUDGETS, [new Map([[ALONE, 50]])])).toHaveLength(1)
  })

  test('the import budget accepts any figure of a function without a limit', () => {
    expect(importFaults({ sweep: { bytes: 1, zipBytes: 1 } }, [round(500, 100)])).toEqual([])
  })

  test('the import budget measures 9 rounds when they fit', () => {
    expect(measureUntilFit(BUDGETS, () => round(100, 100))).toHaveLength(9)
  })

  test('the import budget measures on when they do not fit, and no more than 45 rounds', () => {
    const busyAtFirst = [...Array(8).fill(300), ...Array(10).fill(100)]
    const next = () => round(busyAtFirst.shift() ?? Number.NaN, 100)
    expect(measureUntilFit(BUDGETS, next)).toHaveLength(18)
    expect(measureUntilFit(BUDGETS, () => round(126, 100))).toHaveLength(45)
  })
})

test('every door has a budget, and those that agents wait for at most 1.25 times the client alone', () => {
  const budgets = readBudgets()
  expect(Object.keys(budgets).sort()).toEqual([...DOORS].sort())
  const ratios = Object.entries(budgets).map(([name, { importRatioMax }]) => [name, importRatioMax])
  expect(Object.fromEntries(ratios)).toEqual({
    admin: undefined,
    execute: 1.25,
    mcp: 1.25,
    messages: 1.25,
    sse: 1.25,
    sweep: undefined,
  })
})
