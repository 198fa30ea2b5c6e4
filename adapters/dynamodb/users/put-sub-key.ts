/**
 * Puts a sub-key in one transaction with the count of changes in its user's profile
 * (`budgetChanges`), and with its limits there. Bound by ADR 0111.
 *
 *   entry ✔ ─▶ read parent and profile ─▶ list keys ─▶ [profile: count + 1, limits] [sub-key]
 *
 *   10 at once, 1 place left   each requires the count that it read: one is written; the others read
 *                              again, list the new sub-key and find no place
 *   a limit of the user is changed: refused and made again, as any change of limits
 *   a late copy, or one that was refused: the count is another one, so no revoked sub-key returns
 *   the parent is revoked, or may no longer issue keys, before the write: there is a sub-key that
 *                              no door accepts, because each use of it reads the parent
 *
 * The keys are listed after the profile is read, so the list has every sub-key that this count
 * includes. Dying before the transaction: an entry without a key, which no list shows. Dying after:
 * a key that nobody has. It fills a place until it expires or is revoked.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import { Fault } from '../../../core/errors.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { fromKeyItem, toKeyEntryItem, toKeyItem } from '../records/key-item.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { AUTH_PK, authKey, PROFILE_PK, profileKey, SUB_AUTH_PK, USER_KEYS_PK } from '../table.ts'
import { toTransactWrite } from './budget-writes.ts'
import { decideLimits } from './change-key-limits.ts'
import { readKeys } from './key-list.ts'

/** A function that agents reach puts sub-keys, but no other key. */
export const PUT_SUB_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, SUB_AUTH_PK] },
  { table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK, SUB_AUTH_PK, PROFILE_PK] },
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
  { table: 'gateway', actions: ['Query'], keyPrefixes: [USER_KEYS_PK] },
  { table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [AUTH_PK, SUB_AUTH_PK] },
]

/** A try fails only if another change of the user's keys or limits came first. */
export const SUB_KEY_TRIES_MAX = 21

type Request = Parameters<Keys['putSubKey']>[0]
type Answer = Awaited<ReturnType<Keys['putSubKey']>>

/** Throws `Fault` (`store_unavailable`) after SUB_KEY_TRIES_MAX tries. */
export async function putSubKey(store: DynamoStore, request: Request): Promise<Answer> {
  const { parentHash, record } = request
  const { keyHash, uid } = record
  const table = store.tables.gateway
  await store.put(table, { item: toKeyEntryItem(record) })
  for (let tries = 1; tries <= SUB_KEY_TRIES_MAX; tries += 1) {
    const [parent, profile] = await Promise.all([
      store.get(table, authKey(parentHash), 'consistent'),
      store.get(table, profileKey(uid), 'consistent'),
    ])
    const nowMs = store.clock.nowMs()
    if (parent === undefined || profile === undefined) return 'not_allowed'
    if (!mayIssue(fromKeyItem(parent), uid, nowMs)) return 'not_allowed'
    const keys = await readKeys(store, uid)
    // An earlier try was written, and its answer was lost.
    if (keys.some((one) => one.keyHash === keyHash)) return 'put'
    const writes = toWrites(table, request, { profile, keys, nowMs })
    if (typeof writes === 'string') return writes
    if ((await store.transact(writes)).kind === 'written') return 'put'
  }
  throw new Fault('store_unavailable', `key: met other changes ${SUB_KEY_TRIES_MAX} times`)
}

function mayIssue(parent: KeyRecord, uid: string, nowMs: number): boolean {
  const { expiresAtMs, parentHash, scope } = parent
  const isTop = parentHash === undefined && parent.uid === uid
  return isTop && scope?.mayIssueKeys === true && expiresAtMs > nowMs
}

type Read = {
  readonly profile: Item
  readonly keys: readonly KeyRecord[]
  readonly nowMs: number
}

function toWrites(
  table: string,
  { limits = {}, max, parentHash, record }: Request,
  { keys, nowMs, profile }: Read,
): readonly TransactWrite[] | Exclude<Answer, 'not_allowed' | 'put'> {
  const siblings = keys.filter((one) => one.parentHash === parentHash && one.expiresAtMs > nowMs)
  if (siblings.length >= max) return 'full'
  const { keyHash } = record
  const hashes = [...keys.map((one) => one.keyHash), keyHash]
  const before = fromProfileItem(profile)
  const decided = decideLimits(before, profile, { keyHash, change: limits, keys: hashes })
  if (typeof decided === 'string') return decided
  const put = { table, put: toKeyItem(record), if: 'attribute_not_exists(#pk)' }
  return [toTransactWrite(table, profile, decided), put]
}
