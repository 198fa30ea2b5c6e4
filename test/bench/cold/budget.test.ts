/** The budgets of the bundles, and what they refuse. */
import type { ImportKind } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { countStartBytes, findSizeExcess, readBudgets } from '../../../bench/cold/budget.ts'
import { BASELINE, computeRatio, findImportExcess } from '../../../bench/cold/import-time.ts'
import { FUNCTIONS } from '../../../lib/doors.ts'

const BUDGETS = { sse: { bytes: 100, zipBytes: 40, indexBytes: 30, importRatioMax: 1.25 } }

const door = (bytes: number, zipBytes: number, indexBytes = 30) => ({
  door: 'sse',
  bytes,
  zipBytes,
  indexBytes,
})
const round = (sseMs: number, aloneMs: number) =>
  new Map([
    [BASELINE, aloneMs],
    ['sse', sseMs],
  ])

describe('the byte budget', () => {
  test('takes a door at its budget', () => {
    expect(findSizeExcess([door(100, 40)], BUDGETS)).toEqual([])
  })

  test('refuses one byte more, zipped or not, and says how much', () => {
    expect(findSizeExcess([door(101, 41)], BUDGETS)).toEqual([
      'sse: 101 bytes, 1 over its budget of 100',
      'sse: 41 bytes zipped, 1 over its budget of 40',
    ])
  })

  test('refuses one byte more of what a start loads', () => {
    expect(findSizeExcess([door(100, 40, 31)], BUDGETS)).toEqual([
      'sse: 31 bytes at the start, 1 over its budget of 30',
    ])
  })

  test('a start loads the index and what it imports, at once or through another file, and nothing late', () => {
    const out = (bytes: number, ...imports: { path: string; kind: ImportKind }[]) => ({
      bytes,
      imports,
      inputs: {},
      exports: [],
    })
    const outputs = {
      'dist/sse/index.mjs': out(
        1,
        { path: 'dist/sse/a.mjs', kind: 'import-statement' },
        { path: 'dist/sse/late.mjs', kind: 'dynamic-import' },
        { path: 'node:fs', kind: 'import-statement' },
      ),
      'dist/sse/a.mjs': out(20, { path: 'dist/sse/b.mjs', kind: 'import-statement' }),
      'dist/sse/b.mjs': out(300, { path: 'dist/sse/a.mjs', kind: 'import-statement' }),
      'dist/sse/late.mjs': out(4_000),
      'dist/sse/index.mjs.map': out(50_000),
    }
    expect(countStartBytes({ outputs })).toBe(321)
  })

  test('refuses a door without a budget, and a budget without a door', () => {
    expect(
      findSizeExcess([{ door: 'mcp', bytes: 1, zipBytes: 1, indexBytes: 1 }], BUDGETS),
    ).toEqual([
      'mcp: has no budget; add one to bench/budget.json',
      'sse: has a budget and no bundle',
    ])
  })
})

describe('the import budget', () => {
  test('is a ratio to the client alone, in the median of the rounds', () => {
    const rounds = [round(50, 50), round(200, 100), round(60, 50)]
    expect(computeRatio('sse', rounds)).toBe(1.2)
  })

  test('takes a door at its limit, and refuses it past the limit', () => {
    expect(findImportExcess(BUDGETS, [round(125, 100)])).toEqual([])
    expect(findImportExcess(BUDGETS, [round(126, 100)])).toEqual([
      'sse: imports in 1.26 × the time of @aws-sdk/client-dynamodb alone, over its 1.25',
    ])
  })

  test('refuses a door that was not measured', () => {
    expect(findImportExcess(BUDGETS, [new Map([[BASELINE, 50]])])).toHaveLength(1)
  })

  test('accepts any figure of a function without a limit', () => {
    expect(findImportExcess({ sweep: { bytes: 1, zipBytes: 1 } }, [round(500, 100)])).toEqual([])
  })
})

test('every door has a budget, and those that agents wait for about that of the client alone', () => {
  const budgets = readBudgets()
  expect(Object.keys(budgets).sort()).toEqual([...FUNCTIONS].sort())
  const ratios = Object.entries(budgets).map(([name, { importRatioMax }]) => [name, importRatioMax])
  expect(Object.fromEntries(ratios)).toEqual({
    admin: undefined,
    caller: 1,
    execute: 1,
    mcp: 1.1,
    messages: 1.1,
    sse: 1,
    sweep: undefined,
    usage: undefined,
  })
})

test('every door that agents wait for has a budget of what its start loads: 200 kB, and more for those that make calls or hand them on', () => {
  const budgets = readBudgets()
  const held = Object.entries(budgets).filter(
    ([, { importRatioMax }]) => importRatioMax !== undefined,
  )
  expect(held.every(([, { indexBytes }]) => indexBytes !== undefined)).toBe(true)
  const past = held.filter(([, { indexBytes = 0 }]) => indexBytes > 200_000)
  expect(past.map(([name]) => name)).toEqual(['execute', 'mcp', 'messages'])
})
