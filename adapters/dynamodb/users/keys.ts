/**
 * auth:hash:{keyHash}: the user of an API key. A user's keys are also listed (key-list.ts). Only
 * hashes of keys are stored. Expired records are returned too; callers compare `expiresAtMs`. Bound
 * by docs/service.md, Credentials.
 */
import { TOKEN_HASH_START } from '../../../core/access/access-token.ts'
import { IDENTITY_HASH_START } from '../../../core/access/identity.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import { loadOnce } from '../../../core/cache/load-once.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { ASK_PERMISSIONS, FIND_V0_KEY_PERMISSIONS, findV0KeyRecord } from '../migration/v0-keys.ts'
import type { Permissions } from '../permission.ts'
import { fromKeyItem, toKeyEntryItem, toKeyItem, toKeyTtlSec } from '../records/key-item.ts'
import {
  AUTH_PK,
  authKey,
  IDENTITY_AUTH_PK,
  IDENTITY_INVITE_PK,
  SUB_AUTH_PK,
  TOKEN_PK,
  USER_KEYS_PK,
} from '../table.ts'
import { CHANGE_SCOPE_PERMISSIONS, changeScope } from './change-scope.ts'
import { makeKeyCache } from './key-cache.ts'
import { LIST_KEYS_PERMISSIONS, listKeys, REVOKE_KEY_PERMISSIONS, revokeKey } from './key-list.ts'
import {
  END_LOGINS_OF_KEY_PERMISSIONS,
  END_TOKENS_OF_KEY_PERMISSIONS,
  endTokensOfKey,
  type TokenEnd,
} from './login-ends.ts'
import { PUT_SUB_KEY_PERMISSIONS, putSubKey } from './put-sub-key.ts'

export const KEYS_PERMISSIONS: Permissions<Keys> = {
  find: [
    {
      table: 'gateway',
      actions: ['GetItem'],
      keyPrefixes: [AUTH_PK, IDENTITY_AUTH_PK, SUB_AUTH_PK, TOKEN_PK],
    },
    ...FIND_V0_KEY_PERMISSIONS,
    ...ASK_PERMISSIONS,
  ],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, AUTH_PK] }],
  list: LIST_KEYS_PERMISSIONS,
  revoke: [...REVOKE_KEY_PERMISSIONS, ...END_LOGINS_OF_KEY_PERMISSIONS],
  changeScope: [...CHANGE_SCOPE_PERMISSIONS, ...END_TOKENS_OF_KEY_PERMISSIONS],
  // A function that agents reach puts identities, but no key.
  putIdentity: [
    { table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, IDENTITY_AUTH_PK] },
    { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [IDENTITY_INVITE_PK] },
  ],
  putSubKey: PUT_SUB_KEY_PERMISSIONS,
  renew: [
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK] },
    {
      table: 'gateway',
      actions: ['UpdateItem'],
      keyPrefixes: [AUTH_PK],
      // The permission names its attributes, because a function that renews a key must not change
      // its owner. So the update returns no item, and the record is read afterwards.
      attributes: ['pk', 'sk', 'expiresAtMs', 'renewedAtMs', 'ttl'],
    },
  ],
}

export function dynamoKeys(store: DynamoStore): Keys {
  const table = store.tables.gateway
  const cache = makeKeyCache(store.clock)
  const endTokens = async (key: { uid: string; keyHash: string }, what: TokenEnd) => {
    for (const hash of await endTokensOfKey(store, key, what)) cache.forget(hash)
  }
  return {
    find: (keyHash) => cache.find(keyHash, () => findKey(store, keyHash)),

    // entry ✔ ──▶ key ✔. Dying before: no key, and its user never received it. Dying between: an
    // entry without a key, which no list shows and a later list removes. Dying after: a key that
    // its user never received, but it is listed, so it can be revoked. Two puts of one hash (keys
    // of 256 bits never collide): the first record remains, and both entries are equal. The key is
    // put by a transaction only because of its token: a late copy of a plain put would restore the
    // key after its revocation. A late copy of the entry is an entry without a key.
    async put(record) {
      await store.put(table, { item: toKeyEntryItem(record) })
      try {
        await store.transact([{ table, put: toKeyItem(record), if: 'attribute_not_exists(#pk)' }])
      } finally {
        cache.forget(record.keyHash)
      }
    },

    list: (uid) => listKeys(store, uid),

    // The cache drops the key even if the revocation throws, because it may have been carried out.
    async revoke(key) {
      try {
        const wasRevoked = await revokeKey(store, key)
        await endTokens(key, 'login')
        return wasRevoked
      } finally {
        cache.forget(key.keyHash)
      }
    },

    async changeScope(of) {
      try {
        const record = await changeScope(store, of)
        await endTokens(of, 'tokens')
        return record
      } finally {
        cache.forget(of.keyHash)
      }
    },

    async putSubKey(of) {
      try {
        return await putSubKey(store, of)
      } finally {
        cache.forget(of.record.keyHash)
      }
    },

    async putIdentity(of) {
      try {
        const { putIdentity } = await loadPutIdentity()
        return await putIdentity(store, of)
      } finally {
        cache.forget(of.record.keyHash)
      }
    },

    renew: (change) => cache.renewed(change.keyHash, () => renewKey(store, change)),
  }
}

// Identities are put rarely, and by two functions, so no start of a function loads the code.
const loadPutIdentity = loadOnce(() => import('./put-identity.ts'))

/** Beginnings of hashes that no key of the earlier service has. */
const NOT_OF_V0 = [IDENTITY_HASH_START, TOKEN_HASH_START]

/** A key without a record costs one more read, of the earlier service's record. */
async function findKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const again = () => readKey(store, keyHash)
  if (NOT_OF_V0.some((start) => keyHash.startsWith(start))) return again()
  return (await again()) ?? findV0KeyRecord(store, keyHash, again)
}

async function readKey(store: DynamoStore, keyHash: string): Promise<KeyRecord | undefined> {
  const item = await store.get(store.tables.gateway, authKey(keyHash), 'consistent')
  return item === undefined ? undefined : fromKeyItem(item)
}

/**
 * Two processes renew at once: both require the same old `renewedAtMs`, so the second is refused
 * and the expiry of the first remains. A revoked key has no record: the renewal is refused, and the
 * read after it updates the cache. Dying before: the next use renews. Dying after: the renewal is
 * complete.
 */
async function renewKey(
  store: DynamoStore,
  { keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }: Parameters<Keys['renew']>[0],
): Promise<KeyRecord | undefined> {
  await store.change(store.tables.gateway, {
    key: authKey(keyHash),
    set: 'SET #expiresAtMs = :expiresAtMs, #renewedAtMs = :renewedAtMs, #ttl = :ttl',
    if: '#renewedAtMs = :ifRenewedAtMs',
    values: { expiresAtMs, renewedAtMs, ifRenewedAtMs, ttl: toKeyTtlSec(expiresAtMs) },
  })
  return readKey(store, keyHash)
}
