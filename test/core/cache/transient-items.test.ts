/** Items that come and go: found by name, removed once, and not mixed up where names share a bucket. */
import { describe, expect, test } from 'vitest'
import { makeTransientItems } from '../../../core/cache/transient-items.ts'

describe('items that come and go', () => {
  test('an item is found by its name until it is removed', () => {
    const items = makeTransientItems<number>()
    const removeOne = items.add('call:a', 1)
    items.add('call:a', 2)
    items.add('call:b', 3)
    expect([items.of('call:a'), items.of('call:b'), items.of('call:c')]).toEqual([[1, 2], [3], []])
    removeOne()
    expect([items.of('call:a'), items.size()]).toEqual([[2], 2])
  })

  test('a removal that is repeated removes nothing else, even where the same item came twice', () => {
    const items = makeTransientItems<string>()
    const removeFirst = items.add('a', 'same')
    items.add('a', 'same')
    removeFirst()
    removeFirst()
    expect([items.of('a'), items.size()]).toEqual([['same'], 1])
  })

  test('names whose last characters are alike are told apart, and so are short and empty ones', () => {
    const items = makeTransientItems<string>()
    const names = ['', 'x', 'xx', 'one-end', 'two-end', 'end']
    const removals = names.map((name) => items.add(name, name))
    expect(names.map((name) => items.of(name))).toEqual(names.map((name) => [name]))
    expect([...items.all()].sort()).toEqual([...names].sort())
    for (const remove of removals) remove()
    expect([items.all(), items.size()]).toEqual([[], 0])
  })

  test('an item that leaves while all of its name are told is still told, once', () => {
    const items = makeTransientItems<() => void>()
    const told: string[] = []
    const leave = items.add('a', () => told.push('first'))
    items.add('a', () => told.push('second'))
    for (const tell of items.of('a')) {
      leave()
      tell()
    }
    expect(told).toEqual(['first', 'second'])
  })
})
