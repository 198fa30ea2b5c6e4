/** Waiting writers share one flush, and none is answered by a flush that may have begun before its commit. */
import { expect, test } from 'vitest'
import { groupSync } from '../../../adapters/sqlite/database/group-sync.ts'

function flushes() {
  const ends: { end: () => void; fail: (cause: Error) => void }[] = []
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ end: resolve, fail: reject })
    })
  return { flush, ends }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('callers that come during a flush get the outcome of the next one, all of them the same', async () => {
  const { ends, flush } = flushes()
  const sync = groupSync(flush)
  const callers: string[] = []
  void sync().then(() => callers.push('a'))
  for (const name of ['b', 'c', 'd']) void sync().then(() => callers.push(name))
  expect(ends).toHaveLength(1)
  ends[0]?.end()
  await settle()
  expect(callers).toEqual(['a'])
  expect(ends).toHaveLength(2)
  ends[1]?.end()
  await settle()
  expect(callers).toEqual(['a', 'b', 'c', 'd'])
})

test('a flush that fails is reported to the callers that waited for it, and the next ones get their own', async () => {
  const { ends, flush } = flushes()
  const sync = groupSync(flush)
  const first = expect(sync()).rejects.toThrow('no disk')
  const second = sync()
  ends[0]?.fail(new Error('no disk'))
  await first
  await settle()
  ends[1]?.end()
  await second
  void sync()
  expect(ends).toHaveLength(3)
})
