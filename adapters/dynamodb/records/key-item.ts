/** auth:hash:{keyHash} as an item, and its entry keys:{uid}/{keyHash}. Neither holds a key. */
import type { KeyRecord } from '../../../core/access/principal.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import { authKey, userKeyKey } from '../table.ts'

export function toKeyItem(record: KeyRecord): Item {
  return { ...authKey(record.keyHash), ...record, ttl: toKeyTtlSec(record.expiresAtMs) }
}

/** The entry has no TTL: otherwise each renewal of the key would have to update the entry too. */
export function toKeyEntryItem({ uid, keyHash, createdAtMs }: KeyRecord): Item {
  return { ...userKeyKey(uid, keyHash), keyHash, createdAtMs }
}

export function fromKeyItem(item: Item): KeyRecord {
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

export function toKeyTtlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}
