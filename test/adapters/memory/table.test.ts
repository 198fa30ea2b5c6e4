/** A shelf in memory: order, pages, and that expired rows go as fast as new ones come. */
import { describe, expect, test } from 'vitest'
import { openShelf, type Page, type Shelf } from '../../../adapters/memory/table.ts'

type Row = { readonly name: string; readonly expiresAtMs: number }

describe('a shelf', () => {
  test('lists a partition by sort key, from and to where it is asked', () => {
    const shelf = newShelf()
    for (const sort of ['d', 'b', 'a', 'c']) put(shelf, 'p', sort)
    put(shelf, 'other', 'x')
    expect(names(shelf, {})).toEqual(['a', 'b', 'c', 'd'])
    expect(names(shelf, { after: 'b' })).toEqual(['c', 'd'])
    expect(names(shelf, { after: 'bb', limit: 1 })).toEqual(['c'])
    expect(names(shelf, { after: 'd' })).toEqual([])
    expect(names(shelf, { limit: 2 })).toEqual(['a', 'b'])
    expect(names(shelf, { before: 'c' })).toEqual(['a', 'b'])
    expect(names(shelf, { after: 'a', before: 'cc', limit: 1 })).toEqual(['b'])
    expect(names(shelf, { after: 'c', before: 'b' })).toEqual([])
  })

  test('a list is right after a key came, changed and went', () => {
    const shelf = newShelf()
    for (const sort of ['c', 'a']) put(shelf, 'p', sort)
    expect(names(shelf, {})).toEqual(['a', 'c'])
    put(shelf, 'p', 'b')
    shelf.put('p', 'a', { name: 'A', expiresAtMs: 1 })
    expect(names(shelf, {})).toEqual(['A', 'b', 'c'])
    shelf.remove('p', 'b')
    expect(names(shelf, {})).toEqual(['A', 'c'])
    for (const sort of ['a', 'c', 'c']) shelf.remove('p', sort)
    expect(names(shelf, {})).toEqual([])
  })

  test('a sweep removes what expires now and keeps what expires a millisecond later', () => {
    const shelf = newShelf()
    shelf.put('p', 'now', { name: 'now', expiresAtMs: 1_000 })
    shelf.put('p', 'later', { name: 'later', expiresAtMs: 1_001 })
    shelf.put('q', 'long-ago', { name: 'long-ago', expiresAtMs: 1 })
    shelf.sweep(1_000)
    expect([shelf.get('p', 'now'), shelf.get('q', 'long-ago')]).toEqual([undefined, undefined])
    expect(shelf.get('p', 'later')?.name).toBe('later')
  })

  test('lists backwards from the greatest key, or from below a place', () => {
    const shelf = newShelf()
    for (const sort of ['d', 'b', 'a', 'c']) put(shelf, 'p', sort)
    expect(names(shelf, { backwards: true })).toEqual(['d', 'c', 'b', 'a'])
    expect(names(shelf, { backwards: true, limit: 2 })).toEqual(['d', 'c'])
    expect(names(shelf, { backwards: true, before: 'c', limit: 1 })).toEqual(['b'])
    expect(names(shelf, { backwards: true, after: 'b', before: 'zz' })).toEqual(['d', 'c'])
    expect(names(shelf, { backwards: true, after: 'c', before: 'b' })).toEqual([])
    expect(names(shelf, { backwards: true, limit: 0 })).toEqual([])
  })

  test('sweeping a little with each write keeps a shelf from growing', () => {
    const shelf = newShelf()
    for (let nowMs = 0; nowMs < 10_000; nowMs += 1) {
      shelf.put(`p${nowMs % 7}`, String(nowMs), { name: 'x', expiresAtMs: nowMs + 100 })
      shelf.sweepSome(nowMs)
    }
    const left = [0, 1, 2, 3, 4, 5, 6].flatMap((n) => shelf.list(`p${n}`))
    expect(left.length).toBeGreaterThanOrEqual(100)
    expect(left.length).toBeLessThan(400)
  })

  test('a shelf without an expiry keeps everything', () => {
    const shelf = openShelf<Row>('rows', undefined, undefined)
    put(shelf, 'p', 'a')
    shelf.sweep(9e15)
    shelf.sweepSome(9e15)
    expect(shelf.get('p', 'a')?.name).toBe('a')
  })

  test('a change that was noted and not made is not seen', () => {
    const shelf = newShelf()
    const change = shelf.putting('p', 'a', { name: 'a', expiresAtMs: 9 })
    expect(shelf.get('p', 'a')).toBeUndefined()
    change.apply()
    expect(shelf.get('p', 'a')?.name).toBe('a')
  })
})

function newShelf(): Shelf<Row> {
  return openShelf<Row>('rows', undefined, (row) => row.expiresAtMs)
}

function put(shelf: Shelf<Row>, partition: string, sort: string): void {
  shelf.put(partition, sort, { name: sort, expiresAtMs: 9e15 })
}

function names(shelf: Shelf<Row>, page: Page): readonly string[] {
  return shelf.list('p', page).map((row) => row.name)
}
