/** A table in memory: its order, its pages, and that expired rows are removed as fast as new ones come. */
import { describe, expect, test } from 'vitest'
import { openTable, type Page, type Table } from '../../../adapters/memory/table.ts'

type Row = { readonly name: string; readonly expiresAtMs: number }

describe('a table', () => {
  test('a table lists a partition by sort key, from and to where it is asked', () => {
    const table = newTable()
    for (const sort of ['d', 'b', 'a', 'c']) put(table, 'p', sort)
    put(table, 'other', 'x')
    expect(names(table, {})).toEqual(['a', 'b', 'c', 'd'])
    expect(names(table, { after: 'b' })).toEqual(['c', 'd'])
    expect(names(table, { after: 'bb', limit: 1 })).toEqual(['c'])
    expect(names(table, { after: 'd' })).toEqual([])
    expect(names(table, { limit: 2 })).toEqual(['a', 'b'])
    expect(names(table, { before: 'c' })).toEqual(['a', 'b'])
    expect(names(table, { after: 'a', before: 'cc', limit: 1 })).toEqual(['b'])
    expect(names(table, { after: 'c', before: 'b' })).toEqual([])
  })

  test('a list is right after a key came, changed and went', () => {
    const table = newTable()
    for (const sort of ['c', 'a']) put(table, 'p', sort)
    expect(names(table, {})).toEqual(['a', 'c'])
    put(table, 'p', 'b')
    table.put('p', 'a', { name: 'A', expiresAtMs: 1 })
    expect(names(table, {})).toEqual(['A', 'b', 'c'])
    table.remove('p', 'b')
    expect(names(table, {})).toEqual(['A', 'c'])
    for (const sort of ['a', 'c', 'c']) table.remove('p', sort)
    expect(names(table, {})).toEqual([])
  })

  test('a sweep removes what expires now and keeps what expires a millisecond later', () => {
    const table = newTable()
    table.put('p', 'now', { name: 'now', expiresAtMs: 1_000 })
    table.put('p', 'later', { name: 'later', expiresAtMs: 1_001 })
    table.put('q', 'long-ago', { name: 'long-ago', expiresAtMs: 1 })
    table.sweep(1_000)
    expect([table.get('p', 'now'), table.get('q', 'long-ago')]).toEqual([undefined, undefined])
    expect(table.get('p', 'later')?.name).toBe('later')
  })

  test('a table lists backwards from the greatest key, or from below a place', () => {
    const table = newTable()
    for (const sort of ['d', 'b', 'a', 'c']) put(table, 'p', sort)
    expect(names(table, { backwards: true })).toEqual(['d', 'c', 'b', 'a'])
    expect(names(table, { backwards: true, limit: 2 })).toEqual(['d', 'c'])
    expect(names(table, { backwards: true, before: 'c', limit: 1 })).toEqual(['b'])
    expect(names(table, { backwards: true, after: 'b', before: 'zz' })).toEqual(['d', 'c'])
    expect(names(table, { backwards: true, after: 'c', before: 'b' })).toEqual([])
    expect(names(table, { backwards: true, limit: 0 })).toEqual([])
  })

  test('sweeping a little with each write keeps a table from growing', () => {
    const table = newTable()
    for (let nowMs = 0; nowMs < 10_000; nowMs += 1) {
      table.put(`p${nowMs % 7}`, String(nowMs), { name: 'x', expiresAtMs: nowMs + 100 })
      table.sweepSome(nowMs)
    }
    const left = [0, 1, 2, 3, 4, 5, 6].flatMap((n) => table.list(`p${n}`))
    expect(left.length).toBeGreaterThanOrEqual(100)
    expect(left.length).toBeLessThan(400)
  })

  test('a table without an expiry keeps everything', () => {
    const table = openTable<Row>()
    put(table, 'p', 'a')
    table.sweep(9e15)
    table.sweepSome(9e15)
    expect(table.get('p', 'a')?.name).toBe('a')
  })

  test('a change that was noted and not made is invisible', () => {
    const table = newTable()
    const change = table.putting('p', 'a', { name: 'a', expiresAtMs: 9 })
    expect(table.get('p', 'a')).toBeUndefined()
    change.apply()
    expect(table.get('p', 'a')?.name).toBe('a')
  })
})

function newTable(): Table<Row> {
  return openTable<Row>((row) => row.expiresAtMs)
}

function put(table: Table<Row>, partition: string, sort: string): void {
  table.put(partition, sort, { name: sort, expiresAtMs: 9e15 })
}

function names(table: Table<Row>, page: Page): readonly string[] {
  return table.list('p', page).map((row) => row.name)
}
