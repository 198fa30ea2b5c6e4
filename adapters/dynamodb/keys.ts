/**
 * auth:hash:{keyHash}: which user an API key belongs to. Holds hashes only; expired records are
 * returned as they are, since who asks compares `expiresAtMs`. Design section 4 (Credentials).
 */
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import type { Keys } from '../../core/ports.ts'
import { expiringMap } from './expiring-map.ts'
import { type Item, intAt, textAt } from './item.ts'
import type { DynamoStore } from './store.ts'
import { authKey } from './table.ts'

/** About 4 MB of records. */
export const KEY_CACHE_ENTRIES_MAX = 10_000

export function dynamoKeys(store: DynamoStore): Keys {
  const table = store.tables.gateway
  // Only found keys are remembered: a key just issued must work at once.
  const known = expiringMap<KeyRecord>(store.clock, {
    lifeMs: KEY_CACHE_MS,
    entriesMax: KEY_CACHE_ENTRIES_MAX,
  })
  return {
    async find(keyHash) {
      const remembered = known.get(keyHash)
      if (remembered !== undefined) return remembered.value
      const item = await store.get(table, authKey(keyHash), 'consistent')
      if (item === undefined) return undefined
      const record = keyRecordFrom(item)
      known.set(keyHash, record)
      return record
    },

    // Two puts of one hash (never with 256-bit keys; our own retry after a lost answer): the first
    // stands. Dying before: no key, the caller never showed it. Dying after: a key nobody knows.
    async put(record) {
      await store.put(table, { item: keyItem(record), if: 'attribute_not_exists(#pk)' })
    },

    // Two processes renew at once: both ask for the same old `renewedAtMs`, the second is refused
    // and the first one's expiry stands. Dying before or after: the next use renews, or needs not.
    async renew({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) {
      const answer = await store.update(table, {
        key: authKey(keyHash),
        set: 'SET #expiresAtMs = :expiresAtMs, #renewedAtMs = :renewedAtMs, #ttl = :ttl',
        if: '#renewedAtMs = :ifRenewedAtMs',
        values: { expiresAtMs, renewedAtMs, ifRenewedAtMs, ttl: ttlSec(expiresAtMs) },
      })
      const record = answer.kind === 'written' ? answer.item : answer.old
      if (record !== undefined) known.set(keyHash, keyRecordFrom(record))
    },
  }
}

function keyItem(record: KeyRecord): Item {
  return { ...authKey(record.keyHash), ...record, ttl: ttlSec(record.expiresAtMs) }
}

function keyRecordFrom(item: Item): KeyRecord {
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

function ttlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}
