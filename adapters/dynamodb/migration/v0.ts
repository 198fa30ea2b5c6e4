/**
 * The earlier service's records behind the port LegacyRecords: users, keys, and a look at the whole
 * table for those that nobody touches. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import type { LegacyRecord } from '../../../core/access/v0-key.ts'
import type { LegacyRecords } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  type Key,
  LEGACY_ASKED_PK,
  LEGACY_CREDITS_PK,
  LEGACY_KEY_PK,
  LEGACY_TIER_PK,
  legacyAskedKey,
} from '../table.ts'
import {
  FIND_LEGACY_KEY_PERMISSIONS,
  findLegacyKey,
  legacyKeyFrom,
  MOVE_LEGACY_KEY_PERMISSIONS,
  moveLegacyKey,
} from './v0-keys.ts'
import {
  MOVE_LEGACY_PERMISSIONS,
  moveLegacyCredits,
  READ_LEGACY_PERMISSIONS,
  readLegacyUser,
  WATCH_LEGACY_PERMISSIONS,
  watchLegacyUser,
} from './v0-users.ts'

export const LEGACY_PERMISSIONS: Permissions<LegacyRecords> = {
  read: READ_LEGACY_PERMISSIONS,
  move: MOVE_LEGACY_PERMISSIONS,
  watch: WATCH_LEGACY_PERMISSIONS,
  findKey: FIND_LEGACY_KEY_PERMISSIONS,
  moveKey: MOVE_LEGACY_KEY_PERMISSIONS,
  asked: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [LEGACY_ASKED_PK] }],
  answered: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [LEGACY_ASKED_PK] }],
  // No policy can hold a scan to keys: it is held to attributes, and those tell no more than these.
  scan: [
    {
      table: 'gateway',
      actions: ['Scan'],
      keyPrefixes: [],
      attributes: ['pk', 'sk', 'movedAtMs', 'value'],
    },
  ],
}

export function dynamoLegacy(store: DynamoStore): LegacyRecords {
  const table = store.tables.gateway
  return {
    read: (uid) => readLegacyUser(store, uid),
    move: (what) => moveLegacyCredits(store, what),
    watch: (uid, on) => watchLegacyUser(store, uid, on),
    findKey: (keyHash) => findLegacyKey(store, keyHash),
    moveKey: (what) => moveLegacyKey(store, what),

    async asked(limit) {
      const { pk } = legacyAskedKey('-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk }, limit })
      return items.map((item) => textAt(item, 'keyHash'))
    },

    async answered(keyHash) {
      await store.remove(table, legacyAskedKey(keyHash))
    },

    async scan({ after, limit }) {
      const from = after === undefined ? undefined : keyAt(after)
      if (after !== undefined && from === undefined) return undefined
      const { items, next } = await store.scan(table, {
        filter: 'begins_with(#pk, :credits) OR begins_with(#pk, :tier) OR begins_with(#pk, :key)',
        only: '#pk, #sk, #value, #movedAtMs',
        values: { credits: LEGACY_CREDITS_PK, tier: LEGACY_TIER_PK, key: LEGACY_KEY_PK },
        limit,
        after: from,
      })
      const place = next === undefined ? undefined : JSON.stringify([next.pk, next.sk])
      return { records: items.map(recordFrom), next: place }
    },
  }
}

function recordFrom(item: Item): LegacyRecord {
  const pk = textAt(item, 'pk')
  if (pk.startsWith(LEGACY_CREDITS_PK)) {
    return { kind: 'credits', uid: pk.slice(LEGACY_CREDITS_PK.length) }
  }
  if (pk.startsWith(LEGACY_TIER_PK)) return { kind: 'tier', uid: pk.slice(LEGACY_TIER_PK.length) }
  return { kind: 'key', ...legacyKeyFrom(item) }
}

/** A place as `scan` gave it; undefined for anything else. */
function keyAt(place: string): Key | undefined {
  const [pk, sk, ...more] = partsOf(place)
  if (typeof pk !== 'string' || typeof sk !== 'string' || more.length > 0) return undefined
  return pk === '' || sk === '' ? undefined : { pk, sk }
}

function partsOf(place: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(place)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
