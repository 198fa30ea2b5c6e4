/** Sweep entries in the shards of a minute's counts. The contract suite tests the rest of the port. */
import { expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { dynamoSweepEntries } from '../../../../adapters/dynamodb/ledger/sweep-entries.ts'
import {
  findMinuteShard,
  MINUTE_SHARDS,
  minuteKey,
  minuteShardPk,
} from '../../../../adapters/dynamodb/table.ts'
import { dynamoRateCounters } from '../../../../adapters/dynamodb/users/rate-counters.ts'
import { Fault } from '../../../../core/errors.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store } = await useEmbeddedStore(clock)
const table = store.tables.gateway
const entries = dynamoSweepEntries(store)
const counters = dynamoRateCounters(store)
let minute = 29_000_000

const uidsIn = async (of = entries) =>
  (await of.list(minute, { after: '', limit: 1_000 })).entries.map(({ uid }) => uid)

test('counts of many keys are spread over all shards, none with twice its part', () => {
  const counts = Array.from({ length: MINUTE_SHARDS }, () => 0)
  for (let n = 0; n < 8_000; n += 1) {
    const shard = findMinuteShard(`key_${n.toString(36)}`)
    counts[shard] = (counts[shard] ?? 0) + 1
  }
  expect(counts).toHaveLength(8)
  expect(Math.max(...counts)).toBeLessThan(1_400)
  expect(Math.min(...counts)).toBeGreaterThan(600)
})

test('a count is one item with the user, which ends a day after its minute', async () => {
  minute += 1
  await counters.count({ keyHash: 'key-of-ada', minute, uid: 'ada' })
  await counters.count({ keyHash: 'key-of-ada', minute, uid: 'ada' })
  const { pk } = minuteKey(minute, 'key-of-ada')
  const items = await store.query(table, { where: '#pk = :pk', values: { pk } })
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ sk: 'key-of-ada', uid: 'ada' })
  expect(Number(items[0]?.['ttl'])).toBe(minute * 60 + 86_400)
})

test('a key that is past its limit is counted no more in its minute, until the limit is raised', async () => {
  minute += 1
  let limit = 2
  const counter = { keyHash: 'busy', minute, uid: 'ada', limit: async () => limit }
  const counts: number[] = []
  for (let n = 0; n < 5; n += 1) counts.push(await counters.count(counter))
  expect(counts).toEqual([1, 2, 3, 3, 3])
  expect(await counters.read(counter)).toBe(3)
  limit = 3
  expect(await counters.count(counter)).toBe(4)
  expect(await counters.count({ ...counter, minute: minute + 1 })).toBe(1)
})

/** The store while updates of these partitions fail with an error of this name. */
function failing(name: string, ...pks: readonly string[]): DynamoStore {
  const cause = Object.assign(new Error(name), { name })
  const fault = new Fault('store_unavailable', 'store: did not answer', cause)
  const update: DynamoStore['update'] = (to, what) =>
    pks.includes(what.key.pk) ? Promise.reject(fault) : store.update(to, what)
  return { ...store, update }
}

const THROTTLED = 'ProvisionedThroughputExceededException'

test('a call whose partition of the minute is throttled is counted in another one, where the sweep finds its user', async () => {
  minute += 2
  const counter = { keyHash: 'key-of-eva', minute, uid: 'eva' }
  const { pk: home } = minuteKey(minute, counter.keyHash)
  expect(minuteKey(minute, counter.keyHash, 'opposite').pk).not.toBe(home)
  for (const name of [THROTTLED, 'ThrottlingException', 'RequestLimitExceeded']) {
    const throttled = dynamoRateCounters(failing(name, home))
    expect(await throttled.count(counter)).toBeGreaterThan(0)
  }
  expect(await uidsIn()).toEqual(['eva'])
  expect(await counters.count(counter)).toBe(1)
  expect(await uidsIn()).toEqual(['eva', 'eva'])
})

test('a key whose partition of the minute is throttled is refused past its limit all the same', async () => {
  minute += 1
  const counter = { keyHash: 'key-of-fay', minute, uid: 'fay', limit: async () => 2 }
  const { pk: home } = minuteKey(minute, counter.keyHash)
  const throttled = dynamoRateCounters(failing(THROTTLED, home))
  const counts: number[] = []
  for (let n = 0; n < 4; n += 1) counts.push(await throttled.count(counter))
  expect(counts).toEqual([1, 2, 3, 3])
})

test('a count fails that holds nothing, that two partitions throttle, or whose first write may have been carried out', async () => {
  minute += 1
  const call = { keyHash: 'key-of-gus', minute, uid: 'gus' }
  const { pk: home } = minuteKey(minute, call.keyHash)
  const { pk: other } = minuteKey(minute, call.keyHash, 'opposite')
  const refused = expect.objectContaining({ code: 'store_unavailable' })
  const { uid: _, ...list } = call
  await expect(dynamoRateCounters(failing(THROTTLED, home)).count(list)).rejects.toEqual(refused)
  const both = dynamoRateCounters(failing(THROTTLED, home, other))
  await expect(both.count(call)).rejects.toEqual(refused)
  const late = dynamoRateCounters(failing('TimeoutError', home))
  await expect(late.count(call)).rejects.toEqual(refused)
  expect(await uidsIn()).toEqual([])
})

test('a user who is entered without a count is entered in another partition while the first is throttled', async () => {
  minute += 1
  const { pk: home } = minuteKey(minute, 'uid#hal')
  await dynamoSweepEntries(failing(THROTTLED, home)).put({ uid: 'hal', minute })
  expect(await uidsIn()).toEqual(['hal'])
  const late = dynamoSweepEntries(failing('TimeoutError', home))
  await expect(late.put({ uid: 'hal', minute })).rejects.toThrow('did not answer')
})

test('a shard that is throttled keeps the users of the others from nobody', async () => {
  minute += 1
  const all = Array.from({ length: 40 }, (_, n) => `user${n}`)
  for (const uid of all) await entries.put({ uid, minute })
  const shardOf = (uid: string) => findMinuteShard(`uid#${uid}`)
  const throttled = minuteShardPk(minute, shardOf('user7'))
  const cause = new Fault('store_unavailable', 'throttled')
  const query: DynamoStore['query'] = (name, what) =>
    what.values?.['pk'] === throttled ? Promise.reject(cause) : store.query(name, what)
  const listed = await dynamoSweepEntries({ ...store, query }).list(minute, {
    after: '',
    limit: 1_000,
  })
  expect(listed.trouble).toBe(cause)
  const others = all.filter((uid) => shardOf(uid) !== shardOf('user7'))
  expect(listed.entries.map(({ uid }) => uid).sort()).toEqual(others.sort())
})
