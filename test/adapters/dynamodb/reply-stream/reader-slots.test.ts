/** Slots for readers of the table's stream: never more than AWS allows, however many ask at once. */
import { expect, test } from 'vitest'
import {
  makeReaderSlots,
  SLOT_MS,
} from '../../../../adapters/dynamodb/reply-stream/reader-slots.ts'
import { dynamoLeases } from '../../../../adapters/dynamodb/sessions/leases.ts'
import { readerKey } from '../../../../adapters/dynamodb/table.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store } = await useEmbeddedStore(clock)

async function emptied() {
  for (const n of [0, 1]) await store.remove(store.tables.sessions, readerKey(n))
  return () => makeReaderSlots(store, 2)
}

test('two of 20 processes that ask at once get a place each, and the others none', async () => {
  const open = await emptied()
  const taken = await Promise.all(Array.from({ length: 20 }, () => open().take()))
  expect(taken.filter((held) => held)).toHaveLength(2)
})

test('a place is free once its holder gives it up, and not before', async () => {
  const open = await emptied()
  const [a, b, c] = [open(), open(), open()]
  expect([await a.take(), await b.take(), await c.take()]).toEqual([true, true, false])
  await b.release()
  expect([await c.take(), await b.take()]).toEqual([true, false])
})

test('a renewed place stays, and one that is not renewed is free after 75 s', async () => {
  expect(SLOT_MS).toBe(75_000)
  const open = await emptied()
  const [a, b, c] = [open(), open(), open()]
  await a.take()
  await b.take()
  clock.advance(50_000)
  expect(await a.take()).toBe(true)
  clock.advance(24_999)
  expect(await c.take()).toBe(false)
  clock.advance(1)
  expect([await c.take(), await b.take(), await a.take()]).toEqual([true, false, true])
})

test('a late release leaves the next holder alone', async () => {
  const open = await emptied()
  const [a, b, c] = [open(), open(), open()]
  await a.take()
  await b.take()
  clock.advance(75_000)
  await c.take()
  await a.release()
  await b.release()
  const left = await store.batchGet(store.tables.sessions, [readerKey(0), readerKey(1)])
  expect(left).toHaveLength(1)
  await expect(open().release()).resolves.toBe(undefined)
})

test("a reader's place is no lease of a stream", async () => {
  const open = await emptied()
  await open().take()
  const leases = dynamoLeases(store)
  const nowMs = clock.nowMs()
  const lease = { keyHash: 'k', session: 's', openedAtMs: nowMs, expiresAtMs: nowMs + 1_000 }
  await leases.put(lease)
  expect(await leases.list(nowMs)).toEqual([lease])
})
