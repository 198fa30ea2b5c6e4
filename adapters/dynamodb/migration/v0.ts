/**
 * The port V0Records over the earlier service's records: users, keys, and a scan of the whole table
 * for records of users who never call. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import { toMovedUid, type V0Record } from '../../../core/access/v0-key.ts'
import type { V0Records } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  type Key,
  V0_ASKED_PK,
  V0_CREDITS_PK,
  V0_KEY_PK,
  V0_TIER_PK,
  v0AskedKey,
} from '../table.ts'
import {
  FIND_V0_KEY_PERMISSIONS,
  findV0Key,
  MOVE_V0_KEY_PERMISSIONS,
  moveV0Key,
  readV0KeyItem,
} from './v0-keys.ts'
import { READ_V0_PERMISSIONS } from './v0-permissions.ts'
import {
  MOVE_V0_PERMISSIONS,
  moveV0Credits,
  readV0User,
  WATCH_V0_PERMISSIONS,
  watchV0User,
} from './v0-users.ts'

export const V0_PERMISSIONS: Permissions<V0Records> = {
  read: READ_V0_PERMISSIONS,
  move: MOVE_V0_PERMISSIONS,
  watch: WATCH_V0_PERMISSIONS,
  findKey: FIND_V0_KEY_PERMISSIONS,
  moveKey: MOVE_V0_KEY_PERMISSIONS,
  queuedKeys: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [V0_ASKED_PK] }],
  dequeueKey: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [V0_ASKED_PK] }],
  // A policy cannot limit a scan to keys, so it limits the scan to these attributes.
  scan: [
    {
      table: 'gateway',
      actions: ['Scan'],
      keyPrefixes: [],
      attributes: ['pk', 'sk', 'movedAtMs', 'value'],
    },
  ],
}

export function dynamoV0(store: DynamoStore): V0Records {
  const table = store.tables.gateway
  return {
    read: (uid) => readV0User(store, uid),
    move: (move) => moveV0Credits(store, move),
    watch: (uid, on) => watchV0User(store, uid, on),
    findKey: (keyHash) => findV0Key(store, keyHash),
    moveKey: (move) => moveV0Key(store, move),

    async queuedKeys(limit) {
      const { pk } = v0AskedKey('-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk }, limit })
      return items.map((item) => textAt(item, 'keyHash'))
    },

    async dequeueKey(keyHash) {
      await store.remove(table, v0AskedKey(keyHash))
    },

    async scan({ after, limit }) {
      const from = after === undefined ? undefined : parsePlace(after)
      if (after !== undefined && from === undefined) return undefined
      const { items, next } = await store.scan(table, {
        filter: 'begins_with(#pk, :credits) OR begins_with(#pk, :tier) OR begins_with(#pk, :key)',
        only: '#pk, #sk, #value, #movedAtMs',
        values: { credits: V0_CREDITS_PK, tier: V0_TIER_PK, key: V0_KEY_PK },
        limit,
        after: from,
      })
      const place = next === undefined ? undefined : JSON.stringify([next.pk, next.sk])
      return { records: items.map(readV0Record), next: place }
    },
  }
}

function readV0Record(item: Item): V0Record {
  const pk = textAt(item, 'pk')
  if (pk.startsWith(V0_CREDITS_PK)) {
    return { kind: 'credits', uid: toMovedUid(pk.slice(V0_CREDITS_PK.length)) }
  }
  if (pk.startsWith(V0_TIER_PK))
    return { kind: 'tier', uid: toMovedUid(pk.slice(V0_TIER_PK.length)) }
  return { kind: 'key', ...readV0KeyItem(item) }
}

/** The key in a place that `scan` returned; undefined for any other text. */
function parsePlace(place: string): Key | undefined {
  const [pk, sk, ...more] = parseList(place)
  if (typeof pk !== 'string' || typeof sk !== 'string' || more.length > 0) return undefined
  return pk === '' || sk === '' ? undefined : { pk, sk }
}

function parseList(place: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(place)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
