/** Pages of a slot become one set of rows, a few rows at a time. */
import { describe, expect, test } from 'vitest'
import { createPageMerge, PORTION_ROWS, ROWS_WAITING_MAX } from '../../../core/usage/merge-pages.ts'
import { callRow } from './call-rows.ts'

const page = (...ids: string[]) => ({ rows: ids.map((id) => callRow(id)) })
const numbered = (from: number, count: number) =>
  page(...Array.from({ length: count }, (_, index) => String(from + index).padStart(6, '0')))
const idsOf = (rows: readonly { callId: string }[]) => rows.map(({ callId }) => callId).sort()

describe('rows of pages that overlap', () => {
  test('rows leave when a page comes that begins behind them', () => {
    const merge = createPageMerge()
    const left: string[][] = []
    for (const next of [page('a', 'b', 'c', 'e'), page('c', 'd', 'f'), page('e', 'g')]) {
      expect(merge.add(next)).toBe(true)
      left.push(idsOf(merge.take()))
    }
    expect(left).toEqual([[], ['a', 'b'], ['c', 'd']])
    expect([merge.waiting(), merge.take()]).toEqual([4, []])
    merge.end()
    expect([idsOf(merge.take()), merge.waiting()]).toEqual([['e', 'f', 'g'], 0])
  })

  test('the refunded one of two rows of a call leaves, in whatever page it is', () => {
    for (const states of [['settled', 'refunded'] as const, ['refunded', 'settled'] as const]) {
      const merge = createPageMerge()
      for (const state of states) merge.add({ rows: [callRow('a', { state })] })
      merge.end()
      expect(merge.take().map(({ state }) => state)).toEqual(['refunded'])
    }
  })

  test('calls of two users with one id are two calls', () => {
    const merge = createPageMerge()
    merge.add({ rows: [callRow('a', { uid: 'ada' }), callRow('a', { uid: 'bob' })] })
    merge.add({ rows: [callRow('a', { uid: 'bob' })] })
    merge.end()
    expect(merge.take().map(({ uid }) => uid)).toEqual(['ada', 'bob'])
  })

  test('a thousand pages, each with half of the calls of the page before, keep a page and a half waiting', () => {
    const merge = createPageMerge()
    let [most, left] = [0, 0]
    for (let index = 0; index < 1_000; index += 1) {
      merge.add(numbered(50 * index, 100))
      left += merge.take().length
      most = Math.max(most, merge.waiting())
    }
    merge.end()
    left += merge.take().length
    expect([most, left]).toEqual([150, 50_050])
  })
})

describe('portions', () => {
  test('many rows that are complete leave one to two thousand at a time', () => {
    const merge = createPageMerge()
    for (let index = 0; index < 10; index += 1) merge.add(numbered(0, 1_000 - index))
    for (let index = 1; index < 10; index += 1) merge.add(numbered(1_000 * index, 1_000))
    merge.end()
    const sizes: number[] = []
    for (let rows = merge.take(); rows.length > 0; rows = merge.take()) sizes.push(rows.length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
    expect(Math.max(...sizes)).toBeLessThan(2 * PORTION_ROWS)
  })
})

describe('pages that are not merged', () => {
  test('a page that begins before the one before it is refused', () => {
    const merge = createPageMerge()
    merge.add(page('b', 'c'))
    expect(merge.add(page('a', 'd'))).toBe(false)
  })

  test('a page whose rows are not in order is refused', () => {
    expect(createPageMerge().add(page('a', 'c', 'b'))).toBe(false)
  })

  test('a page is taken while 50,000 rows wait, and refused while 50,001 do', () => {
    expect(ROWS_WAITING_MAX).toBe(50_000)
    for (const [waiting, isTaken] of [
      [50_000, true],
      [50_001, false],
    ] as const) {
      const merge = createPageMerge()
      expect(merge.add(numbered(0, waiting))).toBe(true)
      expect(merge.add(page('000000'))).toBe(isTaken)
    }
  })

  test('a page without rows changes nothing', () => {
    const merge = createPageMerge()
    merge.add(page('a'))
    expect([merge.add(page()), merge.waiting()]).toEqual([true, 1])
  })
})
