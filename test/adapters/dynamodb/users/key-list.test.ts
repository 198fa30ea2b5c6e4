/** A user's list of keys after a writer died half way. The contract suite tests the rest of the port. */
import { describe, expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { authKey, userKeyKey } from '../../../../adapters/dynamodb/table.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import type { KeyRecord } from '../../../../core/access/principal.ts'
import { freshHash, freshName, keyOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, troubles } = await useEmbeddedStore(clock)

describe('storing a key', () => {
  test('writes the entry of the list before the key', async () => {
    const written: string[] = []
    const put: DynamoStore['put'] = (table, write) => {
      written.push(`${String(write.item['pk'])} · ${String(write.item['sk'])}`)
      return store.put(table, write)
    }
    const transact: DynamoStore['transact'] = (writes) => {
      for (const write of writes) {
        if ('put' in write) written.push(`${write.put['pk']} · ${write.put['sk']}`)
      }
      return store.transact(writes)
    }
    await dynamoKeys({ ...store, put, transact }).put(keyOf('h1', { uid: 'u-order' }))
    expect(written).toEqual(['keys:u-order · h1', 'auth:hash:h1 · -'])
  })

  test('leaves an unlisted entry and no working key when it dies in between', async () => {
    const record = keyOf(freshHash(), { uid: freshName('u-') })
    await dyingBeforeTheKey()
      .put(record)
      .catch(() => {})
    const keys = dynamoKeys(store)
    expect(await entriesOf(record.uid)).toEqual([record.keyHash])
    expect(await keys.list(record.uid)).toEqual([])
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })
})

describe('revoking a key', () => {
  test('leaves a dead, unlisted key when it dies in between, and answers true when repeated', async () => {
    const { keys, record } = await storedKey()
    const remove = () => Promise.reject(new Error('died'))
    await dynamoKeys({ ...store, remove })
      .revoke(record)
      .catch(() => {})
    expect(await keys.find(record.keyHash)).toBeUndefined()
    expect(await keys.list(record.uid)).toEqual([])
    expect(await entriesOf(record.uid)).toEqual([record.keyHash])
    expect(await keys.revoke(record)).toBe(true)
    expect(await entriesOf(record.uid)).toEqual([])
    expect(await keys.revoke(record)).toBe(false)
  })

  test("removes it from the cache even if the store's answer is unknown", async () => {
    const { record } = await storedKey()
    const removeIf: DynamoStore['removeIf'] = async (...args) => {
      await store.removeIf(...args)
      throw new Error('answer lost')
    }
    const keys = dynamoKeys({ ...store, removeIf })
    await keys.find(record.keyHash)
    await expect(keys.revoke(record)).rejects.toThrow('answer lost')
    expect(await keys.find(record.keyHash)).toBeUndefined()
  })
})

describe('an entry without a record', () => {
  test('is removed by a list an hour after it was written, and not while its key may be on its way', async () => {
    const { keys, record } = await storedKey()
    await store.remove('Gateway', authKey(record.keyHash))
    clock.advance(3_599_999)
    await keys.list(record.uid)
    expect(await entriesOf(record.uid)).toEqual([record.keyHash])
    clock.advance(1)
    expect(await keys.list(record.uid)).toEqual([])
    expect(await entriesOf(record.uid)).toEqual([])
  })

  test('that cannot be removed is reported, and the list is answered all the same', async () => {
    const { record } = await storedKey()
    const lost = keyOf(freshHash(), { uid: record.uid, createdAtMs: 1 })
    await dyingBeforeTheKey()
      .put(lost)
      .catch(() => {})
    const remove = () => Promise.reject(new Error('no'))
    expect(await dynamoKeys({ ...store, remove }).list(record.uid)).toEqual([record])
    expect(String(troubles.at(-1))).toBe('Error: no')
  })
})

async function storedKey() {
  const record = keyOf(freshHash(), { uid: freshName('u-'), createdAtMs: clock.nowMs() })
  const keys = dynamoKeys(store)
  await keys.put(record)
  return { keys, record }
}

/** The process dies after the entry, before the key. */
function dyingBeforeTheKey(): { put(record: KeyRecord): Promise<void> } {
  return dynamoKeys({ ...store, transact: () => Promise.reject(new Error('died')) })
}

async function entriesOf(uid: string): Promise<readonly unknown[]> {
  const { pk } = userKeyKey(uid, '-')
  const items = await store.query('Gateway', { where: '#pk = :pk', values: { pk } })
  return items.map((item) => item['sk'])
}
