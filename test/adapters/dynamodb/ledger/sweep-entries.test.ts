/**
 * Sweep entries in their shards, beside those of a release without shards. The contract suite tests the rest of
 * the port.
 */
import { expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import {
  dynamoSweepEntries,
  UNSHARDED_SWEEP_MINUTES,
} from '../../../../adapters/dynamodb/ledger/sweep-entries.ts'
import {
  SWEEP_SHARDS,
  sweepCursorKey,
  sweepEntryKey,
  sweepShardOf,
  sweepShardPk,
  unshardedSweepEntryKey,
} from '../../../../adapters/dynamodb/table.ts'
import { Fault } from '../../../../core/errors.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const { store } = await useEmbeddedStore(testClock())
const table = store.tables.gateway
const entries = dynamoSweepEntries(store)
let minute = 29_000_000

/** As a release without shards wrote it. */
function putUnsharded(uid: string): Promise<unknown> {
  return store.put(table, { item: { ...unshardedSweepEntryKey(minute, uid), uid } })
}

const itemsAt = (pk: string) => store.query(table, { where: '#pk = :pk', values: { pk } })

test('entries of many users are spread over all shards, none with twice its part', () => {
  const counts = Array.from({ length: SWEEP_SHARDS }, () => 0)
  for (let n = 0; n < 8_000; n += 1) {
    const shard = sweepShardOf(`usr_${n.toString(36)}`)
    counts[shard] = (counts[shard] ?? 0) + 1
  }
  expect(counts).toHaveLength(8)
  expect(Math.max(...counts)).toBeLessThan(1_400)
  expect(Math.min(...counts)).toBeGreaterThan(600)
})

test('an entry that is written twice is one item in the shard of its user', async () => {
  minute += 1
  await entries.put({ uid: 'ada', minute })
  await entries.put({ uid: 'ada', minute })
  expect(await itemsAt(sweepEntryKey(minute, 'ada').pk)).toHaveLength(1)
  expect(await entries.list(minute, 10)).toEqual({ uids: ['ada'], isWhole: true })
})

test('an entry of a release without shards is listed and removed', async () => {
  minute += 1
  await putUnsharded('ada')
  expect(await entries.list(minute, 10)).toEqual({ uids: ['ada'], isWhole: true })
  await entries.remove({ uid: 'ada', minute })
  expect(await entries.list(minute, 10)).toEqual({ uids: [], isWhole: true })
})

test('a user whom both releases have entered is listed and removed twice', async () => {
  minute += 1
  await putUnsharded('ada')
  await entries.put({ uid: 'ada', minute })
  const { uids } = await entries.list(minute, 10)
  expect(uids).toEqual(['ada', 'ada'])
  for (const uid of uids) await entries.remove({ uid, minute })
  expect((await entries.list(minute, 10)).uids).toEqual([])
})

test('a shard that is throttled keeps the users of the others from nobody', async () => {
  minute += 1
  const all = Array.from({ length: 40 }, (_, n) => `user${n}`)
  for (const uid of all) await entries.put({ uid, minute })
  const throttled = sweepShardPk(minute, sweepShardOf('user7'))
  const cause = new Fault('store_unavailable', 'throttled')
  const query: DynamoStore['query'] = (name, what) =>
    what.values?.['pk'] === throttled ? Promise.reject(cause) : store.query(name, what)
  const listed = await dynamoSweepEntries({ ...store, query }).list(minute, 100)
  expect(listed).toMatchObject({ isWhole: false, trouble: cause })
  const others = all.filter((uid) => sweepShardOf(uid) !== sweepShardOf('user7'))
  expect([...listed.uids].sort()).toEqual(others.sort())
})

test('a list takes from every shard in turn', async () => {
  minute += 1
  for (let n = 0; n < 80; n += 1) await entries.put({ uid: `user${n}`, minute })
  const { isWhole, uids } = await entries.list(minute, SWEEP_SHARDS)
  expect(new Set(uids.map(sweepShardOf)).size).toBe(SWEEP_SHARDS)
  expect(isWhole).toBe(false)
})

test('the first sweep with shards begins an hour before the cursor of the sweep without, and then goes by its own', async () => {
  expect(UNSHARDED_SWEEP_MINUTES).toBe(60)
  const setUnsharded = (at: number) =>
    store.update(table, { key: sweepCursorKey(), set: 'SET #minute = :at', values: { at } })
  await setUnsharded(minute)
  expect(await entries.readCursor()).toBe(minute - 60)
  await entries.writeCursor(minute - 20)
  expect(await entries.readCursor()).toBe(minute - 20)
  // Rolled back: a sweep without shards passes entries that are in shards.
  await setUnsharded(minute + 30)
  expect(await entries.readCursor()).toBe(minute - 20)
})
