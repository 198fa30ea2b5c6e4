import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { makeLatePort } from '../../../core/cache/late-port.ts'
import { loadOnce } from '../../../core/cache/load-once.ts'
import { Fault } from '../../../core/errors.ts'

type Sums = {
  add(a: number, b: number): Promise<number>
  forget(): Promise<void>
}

const SUMS: Sums = { add: async (a, b) => a + b, forget: async () => {} }

test('a late port is loaded with the first call of a method, and answers what its adapter answers', async () => {
  let loads = 0
  const sums = makeLatePort(
    loadOnce(async () => {
      loads += 1
      return SUMS
    }),
  )
  expect(loads).toBe(0)
  expect(await sums.add(40, 2)).toBe(42)
  expect(await sums.forget()).toBe(undefined)
  expect(loads).toBe(1)
})

test('a late port that cannot be loaded rejects with a fault, and throws nothing at once', async () => {
  const sums = makeLatePort(loadOnce(() => Promise.reject<Sums>(new Error('no such file'))))
  const adding = sums.add(40, 2)
  await expect(adding).rejects.toBeInstanceOf(Fault)
})

test('a late port is a plain object to whatever asks any object: it can be awaited, printed and compared, and is not loaded by that', async () => {
  let loads = 0
  const sums = makeLatePort(async () => {
    loads += 1
    return SUMS
  })
  expect(await Promise.resolve(sums)).toBe(sums)
  expect(JSON.stringify({ sums })).toBe('{"sums":{}}')
  expect(`${sums}`).toBe('[object Object]')
  expect(inspect(sums)).toBe('{}')
  expect(sums.constructor).toBe(Object)
  expect(loads).toBe(0)
})
