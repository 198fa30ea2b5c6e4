/** The memory tail is woken and does not poll: replies arrive even with a clock whose sleeps never end. */
import { expect, test } from 'vitest'
import { openDatabase } from '../../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../../adapters/memory/store-ports.ts'
import { openBells } from '../../../core/session/bells.ts'
import { acceptOne, freshSession } from '../../contracts/fresh.ts'
import { listenTo } from '../../contracts/tail-listener.ts'
import { testClock } from '../../contracts/test-clock.ts'

/** A clock that sleeps until the signal aborts, however short the requested time is. */
function stoppedClock() {
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted === true) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  return { ...testClock(), sleep }
}

test('a tail hears of requests, replies and the end without a single poll falling due', async () => {
  const clock = stoppedClock()
  const ports = { ...memoryStorePorts(openDatabase(), clock), clock }
  const hash = await freshSession(ports)
  const tail = listenTo(ports, hash)
  for (const seq of [1, 2, 3]) {
    await acceptOne(ports, hash, String(seq))
    await ports.replies.append({ hash, seq, sealed: new Uint8Array([seq]) })
    await tail.untilSeq(seq)
  }
  await ports.sessions.end({ hash, nowMs: clock.nowMs() + 1 })
  await tail.until(() =>
    tail.news.some((item) => item.kind === 'session' && item.session.endedAtMs !== undefined),
  )
  await tail.stop()
  expect(tail.seqs()).toEqual([1, 2, 3])
})

test('a ring that comes while nobody sleeps ends the next sleep at once, and only that one', async () => {
  const clock = stoppedClock()
  const bells = openBells()
  const bell = bells.listen('a')
  bells.ring('a')
  await bell.sleep(clock, 1_000)
  let woken = false
  const second = bell.sleep(clock, 1_000).then(() => {
    woken = true
  })
  bells.ring('b')
  await Promise.resolve()
  expect(woken).toBe(false)
  bells.ring('a')
  await second
  expect(woken).toBe(true)
})

test('several listeners are each woken, and one that stopped leaves the others', async () => {
  const clock = stoppedClock()
  const bells = openBells()
  const [one, two] = [bells.listen('a'), bells.listen('a')]
  const both = Promise.all([one.sleep(clock, 1_000), two.sleep(clock, 1_000)])
  bells.ring('a')
  await both
  one.stop()
  const still = two.sleep(clock, 1_000)
  bells.ring('a')
  await still
})

test('an abort ends a sleep, and a sleep that begins after it', async () => {
  const clock = stoppedClock()
  const bell = openBells().listen('a')
  const stop = new AbortController()
  const asleep = bell.sleep(clock, 1_000, stop.signal)
  stop.abort()
  await asleep
  await bell.sleep(clock, 1_000, stop.signal)
})

test('delivered and forgotten replies leave the memory', async () => {
  const clock = testClock()
  const database = openDatabase()
  const ports = { ...memoryStorePorts(database, clock), clock }
  const hash = await freshSession(ports)
  for (const seq of [1, 2, 3]) {
    await acceptOne(ports, hash, String(seq))
    await ports.replies.append({ hash, seq, sealed: new Uint8Array([seq]) })
  }
  await ports.sessions.forget({ hash, ifBase: 0, base: 2 })
  expect(database.replies.list(hash).map((row) => row.seq)).toEqual([3])
})
