/**
 * keys:{uid}/{keyHash}: the keys of a user. An entry only points to the record under the key's
 * hash. An entry without a record is not listed: its writer died, the revocation of its key was
 * interrupted, or the key expired long ago. Bound by docs/service.md, Credentials and User
 * administration.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import { BATCH_KEYS_MAX } from '../client/read-keys.ts'
import { REMOVE_V0_KEY_PERMISSIONS, removeV0Key } from '../migration/v0-keys.ts'
import type { Permission } from '../permission.ts'
import { fromKeyItem } from '../records/key-item.ts'
import {
  AUTH_PK,
  authKey,
  IDENTITY_AUTH_PK,
  SUB_AUTH_PK,
  USER_KEYS_PK,
  userKeyKey,
} from '../table.ts'

/** An entry is at most two writes older than its key, and no writer needs an hour for them. */
export const ENTRY_STALE_MS = 3_600_000

export const LIST_KEYS_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query', 'DeleteItem'], keyPrefixes: [USER_KEYS_PK] },
  {
    table: 'gateway',
    actions: ['BatchGetItem'],
    keyPrefixes: [AUTH_PK, IDENTITY_AUTH_PK, SUB_AUTH_PK],
  },
]
export const REVOKE_KEY_PERMISSIONS: readonly Permission[] = [
  {
    table: 'gateway',
    actions: ['DeleteItem'],
    keyPrefixes: [AUTH_PK, IDENTITY_AUTH_PK, SUB_AUTH_PK, USER_KEYS_PK],
  },
  ...REMOVE_V0_KEY_PERMISSIONS,
]

export async function listKeys(store: DynamoStore, uid: string): Promise<readonly KeyRecord[]> {
  const { entries, keys } = await readEntriesAndKeys(store, uid)
  await removeStaleEntries(store, uid, entries, new Set(keys.map((record) => record.keyHash)))
  return keys.sort(compareNewestFirst)
}

/** The keys of a user in any order. Removes nothing. */
export async function readKeys(store: DynamoStore, uid: string): Promise<readonly KeyRecord[]> {
  return (await readEntriesAndKeys(store, uid)).keys
}

async function readEntriesAndKeys(store: DynamoStore, uid: string) {
  const { pk } = userKeyKey(uid, '-')
  const entries = await store.query(store.tables.gateway, { where: '#pk = :pk', values: { pk } })
  const records = await readRecords(store, entries)
  return { entries, keys: records.filter((record) => record.uid === uid) }
}

async function readRecords(store: DynamoStore, entries: readonly Item[]): Promise<KeyRecord[]> {
  const items: Item[] = []
  for (let from = 0; from < entries.length; from += BATCH_KEYS_MAX) {
    const keys = entries
      .slice(from, from + BATCH_KEYS_MAX)
      .map((entry) => authKey(textAt(entry, 'keyHash')))
    items.push(...(await store.batchGet(store.tables.gateway, keys, 'consistent')))
  }
  return items.map(fromKeyItem)
}

/**
 * Removes entries without a record, so that lists do not grow without limit. An entry whose key is
 * still being written is younger than an hour and is kept. Two lists at once both remove the same
 * entries, which is harmless.
 */
async function removeStaleEntries(
  store: DynamoStore,
  uid: string,
  entries: readonly Item[],
  live: ReadonlySet<string>,
): Promise<void> {
  const staleAtMs = store.clock.nowMs() - ENTRY_STALE_MS
  const stale = entries.filter(
    (entry) => !live.has(textAt(entry, 'keyHash')) && intAt(entry, 'createdAtMs') <= staleAtMs,
  )
  const removed = stale.map((entry) =>
    store.remove(store.tables.gateway, userKeyKey(uid, textAt(entry, 'keyHash'))),
  )
  await Promise.all(removed).catch((cause: unknown) => store.onTrouble(cause))
}

/**
 *   revoke:  key removed ✔ (if it is this user's) ─▶ old records removed ─▶ key again ─▶ entry
 *                        └─ dies here: the key no longer works, even if its old record is marked
 *                           as moved; its entry is not listed, and the next revocation or list
 *                           removes it. A key that was not moved yet still works: the
 *                           administrator got an error and sends the revocation again
 *   move:          └── sees the old record, puts the key: the second removal finds it. Later there
 *                      is no old record, and a move puts nothing
 *
 * Two revocations at once: one removes the key; the other finds no key and perhaps the entry. Each
 * one that removed key or entry resolves to true. So does a delete that is repeated after a lost
 * answer. No revocation meets an entry whose key is not written yet, because its user has not
 * received that key. A renewal at the same time requires the record, so it never restores a key.
 */
export async function revokeKey(
  store: DynamoStore,
  { uid, keyHash }: Parameters<Keys['revoke']>[0],
): Promise<boolean> {
  const table = store.tables.gateway
  const removeKey = () =>
    store.removeIf(table, { key: authKey(keyHash), if: '#uid = :uid', values: { uid } })
  const answer = await removeKey()
  if (answer.kind === 'refused' && answer.old !== undefined) return false
  // With these records the earlier service would still accept the key.
  const hadOldRecord = await removeV0Key(store, { keyHash, uid })
  if (hadOldRecord || answer.kind === 'refused') await removeKey()
  const entry = await store.remove(table, userKeyKey(uid, keyHash))
  return answer.kind === 'removed' || hadOldRecord || entry !== undefined
}

function compareNewestFirst(a: KeyRecord, b: KeyRecord): number {
  return b.createdAtMs - a.createdAtMs || (a.keyHash < b.keyHash ? -1 : 1)
}
