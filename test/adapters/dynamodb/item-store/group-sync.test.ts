/** Waiting writers share one flush, and none is answered by a flush that may have begun before its commit. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { groupSync } from '../../../../adapters/dynamodb/item-store/group-sync.ts'

function flushes() {
  const ends: { end: () => void; fail: (cause: Error) => void }[] = []
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ end: resolve, fail: reject })
    })
  return { flush, ends }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('callers of one turn share a flush, which begins behind all of them', async () => {
  const { ends, flush } = flushes()
  const sync = groupSync(flush)
  const told: string[] = []
  void sync().then(() => told.push('a'))
  expect(ends).toHaveLength(0)
  await Promise.resolve()
  void sync().then(() => told.push('b'))
  await settle()
  expect(ends).toHaveLength(1)
  ends[0]?.end()
  await settle()
  expect(told).toEqual(['a', 'b'])
  expect(ends).toHaveLength(1)
})

test('callers that come during a flush get the outcome of the next one, all of them the same', async () => {
  const { ends, flush } = flushes()
  const sync = groupSync(flush)
  const told: string[] = []
  void sync().then(() => told.push('a'))
  await settle()
  for (const name of ['b', 'c', 'd']) void sync().then(() => told.push(name))
  await settle()
  expect(ends).toHaveLength(1)
  ends[0]?.end()
  await settle()
  expect(told).toEqual(['a'])
  expect(ends).toHaveLength(2)
  ends[1]?.end()
  await settle()
  expect(told).toEqual(['a', 'b', 'c', 'd'])
})

test('a flush that fails is reported to the callers that waited for it, and the next ones get their own', async () => {
  const { ends, flush } = flushes()
  const sync = groupSync(flush)
  const first = expect(sync()).rejects.toThrow('no disk')
  await settle()
  const second = sync()
  ends[0]?.fail(new Error('no disk'))
  await first
  await settle()
  ends[1]?.end()
  await second
  void sync()
  await settle()
  expect(ends).toHaveLength(3)
})

/** Ends a flush for so many callers; returns how many flushes begin at once when another caller comes behind it. */
async function flushesBehind({ callers }: { callers: number }) {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ends, flush } = flushes()
  const sync = groupSync(flush, 4)
  for (let caller = 0; caller < callers; caller += 1) void sync()
  await settle()
  ends[0]?.end()
  await settle()
  void sync()
  await settle()
  return ends
}

test('a flush that served several is followed by the pause, in which callers gather', async () => {
  const ends = await flushesBehind({ callers: 2 })
  vi.advanceTimersByTime(3)
  await settle()
  expect(ends).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await settle()
  expect(ends).toHaveLength(2)
})

test('a flush that served one caller is followed at once', async () => {
  expect(await flushesBehind({ callers: 1 })).toHaveLength(2)
})
