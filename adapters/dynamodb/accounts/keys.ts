/**
 * auth:hash:{keyHash}: which user an API key belongs to, and the list of a user's keys beside it.
 * Holds hashes only; expired records are returned as they are, since who asks compares
 * `expiresAtMs`. Bound by docs/service.md, Credentials.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Keys } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { ASK_PERMISSIONS, FIND_LEGACY_KEY_PERMISSIONS, v0KeyView } from '../migration/v0-keys.ts'
import type { Permissions } from '../permission.ts'
import { entryItem, keyItem, keyRecordFrom, keyTtlSec } from '../records/key-item.ts'
import { AUTH_PK, authKey, USER_KEYS_PK } from '../table.ts'
import { keyCache } from './key-cache.ts'
import { LIST_KEYS_PERMISSIONS, listKeys, REVOKE_KEY_PERMISSIONS, revokeKey } from './key-list.ts'

export const KEYS_PERMISSIONS: Permissions<Keys> = {
  find: [
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK] },
    ...FIND_LEGACY_KEY_PERMISSIONS,
    ...ASK_PERMISSIONS,
  ],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, AUTH_PK] }],
  list: LIST_KEYS_PERMISSIONS,
  revoke: REVOKE_KEY_PERMISSIONS,
  renew: [
    {
      table: 'gateway',
      actions: ['UpdateItem'],
      keyPrefixes: [AUTH_PK],
      // Who may move an expiry must not be able to say whose key it is.
      attributes: ['pk', 'sk', 'expiresAtMs', 'renewedAtMs', 'ttl'],
    },
  ],
}

export function dynamoKeys(store: DynamoStore): Keys {
  const table = store.tables.gateway
  const cache = keyCache(store.clock)
  return {
    find: (keyHash) => cache.find(keyHash, () => findKey(store, keyHash)),

    // entry ✔ ──▶ key ✔. Dying before: no key, its user was never told of it. Dying between: an
    // entry without a key, which no list shows and a later one removes. Dying after: a key that
    // nobody was told of, but listed, so it can be revoked. Two puts of one hash (never with 256-bit
    // keys; our own retry after a lost answer): the first stands, and the entry says the same.
    async put(record) {
      await store.put(table, { item: entryItem(record) })
      try {
        await store.put(table, { item: keyItem(record), if: 'attribute_not_exists(#pk)' })
      } finally {
        cache.forget(record.keyHash)
      }
    },

    list: (uid) => listKeys(store, uid),

    // Forgotten even if it throws: whether the key went is not known then.
    async revoke(key) {
      try {
        return await revokeKey(store, key)
      } finally {
        cache.forget(key.keyHash)
      }
    },

    renew: (change) => cache.renewed(change.keyHash, () => renewKey(store, change)),
  }
}

/** An unknown key costs one more read, and is remembered as before. */
async function findKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const again = () => readKey(store, keyHash)
  return (await again()) ?? v0KeyView(store, keyHash, again)
}

async function readKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const item = await store.get(store.tables.gateway, authKey(keyHash), 'consistent')
  return item === undefined ? undefined : keyRecordFrom(item)
}

/**
 * Two processes renew at once: both ask for the same old `renewedAtMs`, the second is refused and
 * the first one's expiry stands. A key that was revoked has none: refused, and known to be gone.
 * Dying before or after: the next use renews, or needs not.
 */
async function renewKey(
  store: DynamoStore,
  { keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }: Parameters<Keys['renew']>[0],
): Promise<KeyRecord | undefined> {
  const answer = await store.update(store.tables.gateway, {
    key: authKey(keyHash),
    set: 'SET #expiresAtMs = :expiresAtMs, #renewedAtMs = :renewedAtMs, #ttl = :ttl',
    if: '#renewedAtMs = :ifRenewedAtMs',
    values: { expiresAtMs, renewedAtMs, ifRenewedAtMs, ttl: keyTtlSec(expiresAtMs) },
  })
  const item = answer.kind === 'written' ? answer.item : answer.old
  return item === undefined ? undefined : keyRecordFrom(item)
}
