/** How long API keys are cached, counted in requests, and races with changes of a key. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConsumedUnits } from '../../../../adapters/dynamodb/client/connection.ts'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import {
  KEY_CACHE_ENTRIES_MAX,
  UNKNOWN_KEYS_MAX,
} from '../../../../adapters/dynamodb/users/key-cache.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import { atOnce, freshHash, keyOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
beforeEach(() => {
  seen.length = 0
})

const READ: ConsumedUnits = { command: 'get', units: 1 }

describe('a known key', () => {
  test('is read once in 30 s', async () => {
    const { keys, record } = await storedKey()
    await keys.find(record.keyHash)
    clock.advance(29_999)
    await keys.find(record.keyHash)
    expect(seen).toEqual([READ])
    clock.advance(1)
    await keys.find(record.keyHash)
    expect(seen).toEqual([READ, READ])
  })

  test('is read once for all concurrent callers', async () => {
    const { keys, record } = await storedKey()
    const found = await atOnce(50, () => keys.find(record.keyHash))
    expect(found).toEqual(Array(50).fill(record))
    expect(seen).toEqual([READ])
  })

  test('that was renewed here is known here at once', async () => {
    const { keys, record } = await storedKey()
    await keys.find(record.keyHash)
    await keys.renew({ ...record, expiresAtMs: 99, renewedAtMs: 50, ifRenewedAtMs: 2e12 })
    seen.length = 0
    expect((await keys.find(record.keyHash))?.renewedAtMs).toBe(50)
    expect(seen).toEqual([])
  })

  test('that was revoked elsewhere is refused after 30 s at most', async () => {
    const { keys, record } = await storedKey()
    await keys.find(record.keyHash)
    await dynamoKeys(store).revoke(record)
    clock.advance(29_999)
    expect(await keys.find(record.keyHash)).toEqual(record)
    clock.advance(1)
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })

  test('that was revoked elsewhere is refused once its renewal finds it gone', async () => {
    const { keys, record } = await storedKey()
    await keys.find(record.keyHash)
    await dynamoKeys(store).revoke(record)
    await keys.renew({ ...record, renewedAtMs: 50, ifRenewedAtMs: 2e12 })
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })

  test('counts its 30 s from the start of a read, even of a slow one', async () => {
    const { record } = await storedKey()
    const slow = gatedReads()
    const keys = dynamoKeys(slow.store)
    const finding = keys.find(record.keyHash)
    await slow.answered()
    await dynamoKeys(store).revoke(record)
    clock.advance(29_999)
    slow.open()
    expect(await finding).toEqual(record)
    clock.advance(1)
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })

  test('that is revoked here during a read is not cached, and the read is not shared', async () => {
    const { record } = await storedKey()
    const slow = gatedReads()
    const keys = dynamoKeys(slow.store)
    const finding = keys.find(record.keyHash)
    await slow.answered()
    expect(await keys.revoke(record)).toBe(true)
    const after = keys.find(record.keyHash)
    slow.open()
    expect(await finding).toEqual(record)
    expect(await after).toBeUndefined()
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })

  test('whose renewal is answered after its revocation stays revoked', async () => {
    const { record } = await storedKey()
    const slow = gatedUpdates()
    const keys = dynamoKeys(slow.store)
    const renewing = keys.renew({ ...record, renewedAtMs: 50, ifRenewedAtMs: 2e12 })
    await slow.answered()
    await keys.revoke(record)
    slow.open()
    await renewing
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })

  test('is read again after a failed read, and each caller of the failed one gets its error', async () => {
    const { record } = await storedKey()
    let broken = true
    const get: DynamoStore['get'] = (...args) =>
      broken ? Promise.reject(new Error('no')) : store.get(...args)
    const keys = dynamoKeys({ ...store, get })
    const both = await Promise.allSettled([keys.find(record.keyHash), keys.find(record.keyHash)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect(await keys.find(record.keyHash)).toEqual(record)
  })
})

describe('an unknown key', () => {
  test('is read once in 30 s, and once for all concurrent callers', async () => {
    const keys = dynamoKeys(store)
    const keyHash = freshHash()
    expect(await atOnce(20, () => keys.find(keyHash))).toEqual(Array(20).fill(undefined))
    clock.advance(29_999)
    expect(await keys.find(keyHash)).toBeUndefined()
    // The second read asks for the earlier service's records, in either spelling.
    const reads = [
      { command: 'get', units: 1 },
      { command: 'batchGet', units: 2 },
    ]
    expect(seen).toEqual(reads)
    clock.advance(1)
    await keys.find(keyHash)
    expect(seen).toEqual([...reads, ...reads])
  })

  test('that is stored elsewhere is accepted after 30 s at most', async () => {
    const keys = dynamoKeys(store)
    const record = keyOf(freshHash())
    await keys.find(record.keyHash)
    await dynamoKeys(store).put(record)
    clock.advance(29_999)
    expect(await keys.find(record.keyHash)).toBeUndefined()
    clock.advance(1)
    expect(await keys.find(record.keyHash)).toEqual(record)
  })

  test('that is stored here during a read is accepted at once', async () => {
    const slow = gatedReads()
    const keys = dynamoKeys(slow.store)
    const record = keyOf(freshHash())
    const finding = keys.find(record.keyHash)
    await slow.answered()
    await keys.put(record)
    slow.open()
    expect(await finding).toBeUndefined()
    expect(await keys.find(record.keyHash)).toEqual(record)
  })

  test('evicts no known key, however many there are, and the oldest unknown one goes first', async () => {
    const { record } = await storedKey()
    let reads = 0
    const get: DynamoStore['get'] = async (...args) => {
      reads += 1
      return args[1].pk.includes(record.keyHash) ? store.get(...args) : undefined
    }
    const keys = dynamoKeys({ ...store, get })
    await keys.find(record.keyHash)
    for (let n = 0; n <= UNKNOWN_KEYS_MAX; n += 1) await keys.find(`wrong-${n}`)
    reads = 0
    await keys.find(record.keyHash)
    await keys.find('wrong-1')
    expect(reads).toBe(0)
    await keys.find('wrong-0')
    expect(reads).toBe(1)
  })
})

test('10,000 keys of each kind are cached', () => {
  expect([KEY_CACHE_ENTRIES_MAX, UNKNOWN_KEYS_MAX]).toEqual([10_000, 10_000])
})

/** A key in the store, and adapters that have not cached it. */
async function storedKey() {
  const record = keyOf(freshHash())
  await dynamoKeys(store).put(record)
  seen.length = 0
  return { record, keys: dynamoKeys(store) }
}

function gatedReads() {
  const gate = gateOf()
  const get: DynamoStore['get'] = async (...args) => gate.pass(await store.get(...args))
  return { ...gate, store: { ...store, get } }
}

function gatedUpdates() {
  const gate = gateOf()
  const change: DynamoStore['change'] = async (...args) => gate.pass(await store.change(...args))
  return { ...gate, store: { ...store, change } }
}

/**
 * Holds back the store's first answer until it is opened; `answered` resolves when the store gave
 * it.
 */
function gateOf() {
  const [answered, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let first = true
  const pass = async <T>(answer: T): Promise<T> => {
    if (first) {
      first = false
      answered.resolve()
      await opened.promise
    }
    return answer
  }
  return { pass, answered: () => answered.promise, open: () => opened.resolve() }
}
