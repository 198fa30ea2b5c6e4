/**
 * auth:hash:{keyHash}: the user that an API key belongs to, and beside it the list of a user's
 * keys. Holds hashes only. Expired records are returned too; callers compare `expiresAtMs`. Bound
 * by docs/service.md, Credentials.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { ASK_PERMISSIONS, FIND_V0_KEY_PERMISSIONS, v0KeyView } from '../migration/v0-keys.ts'
import type { Permissions } from '../permission.ts'
import { entryItem, keyItem, keyRecordFrom, keyTtlSec } from '../records/key-item.ts'
import { AUTH_PK, authKey, USER_KEYS_PK } from '../table.ts'
import { CHANGE_SCOPE_PERMISSIONS, changeScope } from './change-scope.ts'
import { keyCache } from './key-cache.ts'
import { LIST_KEYS_PERMISSIONS, listKeys, REVOKE_KEY_PERMISSIONS, revokeKey } from './key-list.ts'

export const KEYS_PERMISSIONS: Permissions<Keys> = {
  find: [
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK] },
    ...FIND_V0_KEY_PERMISSIONS,
    ...ASK_PERMISSIONS,
  ],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, AUTH_PK] }],
  list: LIST_KEYS_PERMISSIONS,
  revoke: REVOKE_KEY_PERMISSIONS,
  changeScope: CHANGE_SCOPE_PERMISSIONS,
  renew: [
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK] },
    {
      table: 'gateway',
      actions: ['UpdateItem'],
      keyPrefixes: [AUTH_PK],
      // The permission names its attributes: a function that moves an expiry must not change a
      // key's owner. So the update may return nothing, and the record is read afterwards.
      attributes: ['pk', 'sk', 'expiresAtMs', 'renewedAtMs', 'ttl'],
    },
  ],
}

export function dynamoKeys(store: DynamoStore): Keys {
  const table = store.tables.gateway
  const cache = keyCache(store.clock)
  return {
    find: (keyHash) => cache.find(keyHash, () => findKey(store, keyHash)),

    // entry ✔ ──▶ key ✔. Dying before: no key, and its user never received it. Dying between: an
    // entry without a key, which no list shows and a later list removes. Dying after: a key that
    // its user never received, but it is listed, so it can be revoked. Two puts of one hash (two
    // keys of 256 bits never collide): the first stands, and the entry says the same. The key is put
    // by a transaction for its token alone: a plain put that arrives again, late, would bring the
    // key back after its revocation. A late entry is one without a key.
    async put(record) {
      await store.put(table, { item: entryItem(record) })
      try {
        await store.transact([{ table, put: keyItem(record), if: 'attribute_not_exists(#pk)' }])
      } finally {
        cache.forget(record.keyHash)
      }
    },

    list: (uid) => listKeys(store, uid),

    // The cache drops the key even if this throws: the key may be gone all the same.
    async revoke(key) {
      try {
        return await revokeKey(store, key)
      } finally {
        cache.forget(key.keyHash)
      }
    },

    async changeScope(of) {
      try {
        return await changeScope(store, of)
      } finally {
        cache.forget(of.keyHash)
      }
    },

    renew: (change) => cache.renewed(change.keyHash, () => renewKey(store, change)),
  }
}

/** An unknown key costs one more read, and its absence is cached as before. */
async function findKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const again = () => readKey(store, keyHash)
  return (await again()) ?? v0KeyView(store, keyHash, again)
}

async function readKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const item = await store.get(store.tables.gateway, authKey(keyHash), 'consistent')
  return item === undefined ? undefined : keyRecordFrom(item)
}

/**
 * Two processes renew at once: both require the same old `renewedAtMs`, so the second is refused
 * and the first one's expiry stands. A revoked key has no record: the renewal is refused, and the
 * read behind it tells the cache that the key is gone. Dying before: the next use renews. Dying
 * after: the renewal is done.
 */
async function renewKey(
  store: DynamoStore,
  { keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }: Parameters<Keys['renew']>[0],
): Promise<KeyRecord | undefined> {
  await store.change(store.tables.gateway, {
    key: authKey(keyHash),
    set: 'SET #expiresAtMs = :expiresAtMs, #renewedAtMs = :renewedAtMs, #ttl = :ttl',
    if: '#renewedAtMs = :ifRenewedAtMs',
    values: { expiresAtMs, renewedAtMs, ifRenewedAtMs, ttl: keyTtlSec(expiresAtMs) },
  })
  return readKey(store, keyHash)
}
