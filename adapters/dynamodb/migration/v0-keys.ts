/**
 * user:uid:{hash}, a key of the earlier service. It is read if a key has no record of this gateway.
 * The record v0:asked/{keyHash} requests the sweep to move the key. Functions that serve agents can
 * write that request, but cannot say whose key it is.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import type { KeyRecord } from '../../../core/access/principal.ts'
import {
  listV0Spellings,
  resolveV0Key,
  toKeyRecord,
  type V0Key,
  type V0KeyRecord,
} from '../../../core/access/v0-key.ts'
import { fromIdentifier } from '../../../core/json/identifier-text.ts'
import type { V0Records } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import type { Permission } from '../permission.ts'
import { toKeyEntryItem, toKeyItem } from '../records/key-item.ts'
import { readV0Value } from '../records/v0-item.ts'
import {
  AUTH_PK,
  type Key,
  USER_KEYS_PK,
  V0_ASKED_PK,
  V0_KEY_PK,
  v0AskedKey,
  v0KeyKey,
} from '../table.ts'

export const FIND_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [V0_KEY_PK] },
]
export const ASK_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [V0_ASKED_PK] },
]
export const MOVE_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, AUTH_PK] },
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [V0_KEY_PK] },
]
export const REMOVE_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [V0_KEY_PK] },
]

/** Reads both spellings of the key. Undefined if the earlier service did not know the key. */
export async function findV0Key(store: DynamoStore, keyHash: string): Promise<V0Key | undefined> {
  const keys = listV0Spellings(keyHash).map(v0KeyKey)
  if (keys.length === 0) return undefined
  const items = await store.batchGet(store.tables.gateway, keys, 'consistent')
  return resolveV0Key(items.map(readV0KeyItem))
}

export function readV0KeyItem(item: Item): V0KeyRecord {
  return {
    spelling: textAt(item, 'pk').slice(V0_KEY_PK.length),
    value: readV0Value(item),
    moved: item['movedAtMs'] !== undefined,
  }
}

/**
 * The key's record while `auth:hash` is missing. `again` reads `auth:hash` a second time.
 *
 *   auth:hash: none ─▶ user:uid: not moved ─▶ the key's owner; the sweep is requested to move it
 *                            └─ moved meanwhile ─▶ auth:hash again: there, or revoked or expired
 *
 * If the request to the sweep fails, the key still works: the next read, 30 s later, repeats it.
 */
export async function findV0KeyRecord(
  store: DynamoStore,
  keyHash: string,
  again: () => Promise<KeyRecord | undefined>,
): Promise<KeyRecord | undefined> {
  const found = await findV0Key(store, keyHash)
  if (found === undefined || found.kind === 'unreadable') return undefined
  if (found.kind === 'moved') return again()
  const nowMs = store.clock.nowMs()
  const asking = store.put(store.tables.gateway, { item: { ...v0AskedKey(keyHash), keyHash } })
  await asking.catch((cause: unknown) => store.onTrouble(cause))
  const { uid } = found
  return { ...toKeyRecord({ keyHash, uid, username: uid, nowMs }), v0: true }
}

/**
 *   entry in the user's list ✔ ──▶ one transaction: key put, old records retired
 *                             └─ dies here: an entry without a key, as when a key is issued
 *
 * Two movers: the second finds the old records retired and puts nothing. A key that was revoked
 * meanwhile, or before a late copy of the write: the old record is missing, so nothing is put. A
 * key that was given to another user meanwhile: the same. A key that already has a record of this
 * gateway keeps it; the old records are only retired, or they would restore the key after its end.
 */
export async function moveV0Key(
  store: DynamoStore,
  { record, spellings }: Parameters<V0Records['moveKey']>[0],
): Promise<boolean> {
  const table = store.tables.gateway
  await store.put(table, { item: toKeyEntryItem(record) })
  const retirements = spellings.map((spelling) => makeRetirement(v0KeyKey(spelling), record))
  const put = { table, put: toKeyItem(record), if: 'attribute_not_exists(#pk)' }
  const answer = await store.transact([
    put,
    ...retirements.map((retirement) => ({ table, ...retirement })),
  ])
  if (answer.kind === 'written') return true
  if (answer.refusals[0] === undefined) return false
  await Promise.all(
    retirements.map(({ update: set, ...retirement }) =>
      store.update(table, { set, ...retirement }),
    ),
  )
  return false
}

function makeRetirement(key: Key, { createdAtMs, uid }: KeyRecord) {
  const mine = isOwnedBy(uid)
  return {
    key,
    update: 'SET #movedAtMs = :nowMs',
    if: `${mine.if} AND attribute_not_exists(#movedAtMs)`,
    values: { nowMs: createdAtMs, ...mine.values },
  }
}

/** The condition that the record names this user, as a text or as a number. */
function isOwnedBy(of: string) {
  const uid = fromIdentifier(of)
  if (!/^\d{1,38}$/.test(uid)) return { if: '#value = :uid', values: { uid } }
  const values = { uid, number: NumberValue.from(uid) }
  return { if: '(#value = :uid OR #value = :number)', values }
}

/** Removes both spellings if they name this user. Resolves to true if a record was removed. */
export async function removeV0Key(
  store: DynamoStore,
  { keyHash, uid }: Pick<KeyRecord, 'keyHash' | 'uid'>,
): Promise<boolean> {
  const removals = listV0Spellings(keyHash).map((spelling) =>
    store.removeIf(store.tables.gateway, { key: v0KeyKey(spelling), ...isOwnedBy(uid) }),
  )
  return (await Promise.all(removals)).some(({ kind }) => kind === 'removed')
}
