/** auth:hash:{keyHash} as an item, and its entry keys:{uid}/{keyHash}. Neither holds a key. */
import type { KeyRecord } from '../../../core/access/principal.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import { authKey, userKeyKey } from '../table.ts'

export function keyItem(record: KeyRecord): Item {
  return { ...authKey(record.keyHash), ...record, ttl: keyTtlSec(record.expiresAtMs) }
}

/** The entry has no TTL: otherwise each renewal of the key would have to update the entry too. */
export function entryItem({ uid, keyHash, createdAtMs }: KeyRecord): Item {
  return { ...userKeyKey(uid, keyHash), keyHash, createdAtMs }
}

export function keyRecordFrom(item: Item): KeyRecord {
  return {
    keyHash: textAt(item, 'keyHash'),
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    keyPrefix: textAt(item, 'keyPrefix'),
    createdAtMs: intAt(item, 'createdAtMs'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
    renewedAtMs: intAt(item, 'renewedAtMs'),
  }
}

export function keyTtlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}
