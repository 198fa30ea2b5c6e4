/** What only the adapter can show of the earlier service's records: races within one method, and odd items. */
import { describe, expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { dynamoV0 } from '../../../../adapters/dynamodb/migration/v0.ts'
import { authKey, v0CreditsKey, v0KeyKey } from '../../../../adapters/dynamodb/table.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import { freshHash, freshName, keyOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const { store, troubles } = await useEmbeddedStore(testClock())

async function oldKey(uid: string): Promise<string> {
  const keyHash = freshHash()
  const item = { ...v0KeyKey(keyHash), value: uid }
  await store.put(store.tables.gateway, { item })
  return keyHash
}

function move(keyHash: string, uid: string): Promise<boolean> {
  return dynamoV0(store).moveKey({ record: keyOf(keyHash, { uid }), spellings: [keyHash] })
}

describe('an old key', () => {
  test('that is moved between the two reads is found in its new record', async () => {
    const uid = freshName('u-')
    const keyHash = await oldKey(uid)
    const between: DynamoStore = {
      ...store,
      batchGet: async (...queuedKeys) => {
        await move(keyHash, uid)
        return store.batchGet(...queuedKeys)
      },
    }
    expect(await dynamoKeys(between).find(keyHash)).toEqual(keyOf(keyHash, { uid }))
  })

  test('that was moved, and whose new record is deleted since, is not moved again', async () => {
    const uid = freshName('u-')
    const keyHash = await oldKey(uid)
    expect(await move(keyHash, uid)).toBe(true)
    await store.remove(store.tables.gateway, authKey(keyHash))
    expect(await move(keyHash, uid)).toBe(false)
    expect(await dynamoKeys(store).find(keyHash)).toBeUndefined()
  })

  test.each([
    ['before the old record goes', 'removeIf' as const],
    ['before the entry goes', 'remove' as const],
  ])('that is moved while it is revoked, %s, is dead and not listed', async (_, method) => {
    const uid = freshName('u-')
    const keyHash = await oldKey(uid)
    const moving: DynamoStore = {
      ...store,
      [method]: async (table: string, request: never) => {
        const answer = await store[method](table, request)
        await move(keyHash, uid)
        return answer
      },
    }
    expect(await dynamoKeys(moving).revoke({ uid, keyHash })).toBe(true)
    const keys = dynamoKeys(store)
    expect(await keys.find(keyHash)).toBeUndefined()
    expect(await keys.list(uid)).toEqual([])
  })

  test('is accepted although the sweep could not be asked to move it, and the trouble is reported', async () => {
    const uid = freshName('u-')
    const keyHash = await oldKey(uid)
    const deaf: DynamoStore = { ...store, put: () => Promise.reject(new Error('throttled')) }
    expect((await dynamoKeys(deaf).find(keyHash))?.uid).toBe(uid)
    expect(troubles).toEqual([new Error('throttled')])
    expect(await dynamoV0(store).queuedKeys(1_000)).not.toContain(keyHash)
  })
})

describe('an old amount', () => {
  test.each([
    ['a set', new Set(['1'])],
    ['a flag', true],
    ['a map', { amount: 1 }],
  ])('that is %s is neither a number nor a text', async (_, value) => {
    const uid = freshName('u-')
    await store.put(store.tables.gateway, { item: { ...v0CreditsKey(uid), value } })
    expect((await dynamoV0(store).read(uid)).credits).toEqual({ kind: 'other' })
  })

  test('without the attribute is neither a number nor a text', async () => {
    const uid = freshName('u-')
    await store.put(store.tables.gateway, { item: { ...v0CreditsKey(uid), amount: 3 } })
    expect((await dynamoV0(store).read(uid)).credits).toEqual({ kind: 'other' })
  })
})

test.each(['x', '[]', '["a"]', '["a","b","c"]', '["",""]', '{"pk":"a"}', '[1,2]'])(
  'the place %s is refused as the start of a scan',
  async (after) => {
    expect(await dynamoV0(store).scan({ after, limit: 1 })).toBeUndefined()
  },
)
