/** In-memory twin of the port Keys. Caches nothing: it is as near as a cache. */
import type { KeyRecord } from '../../core/access/principal.ts'
import type { Clock, Keys } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'
import { removingV0Key, v0KeyView } from './v0.ts'

export function memoryKeys(database: Database, clock: Pick<Clock, 'nowMs'>): Keys {
  return {
    find: async (keyHash) =>
      database.keys.get(keyHash, ONLY) ?? v0KeyView(database, keyHash, clock.nowMs()),
    put: async (record) => {
      const { uid, keyHash } = record
      if (database.keys.get(keyHash, ONLY) !== undefined) return
      database.commit([
        database.userKeys.putting(uid, keyHash, { keyHash }),
        database.keys.putting(keyHash, ONLY, record),
      ])
    },
    list: async (uid) =>
      database.userKeys
        .list(uid)
        .flatMap(({ keyHash }) => database.keys.get(keyHash, ONLY) ?? [])
        .sort(newestFirst),
    revoke: async ({ uid, keyHash }) => {
      const record = database.keys.get(keyHash, ONLY)
      if (record !== undefined && record.uid !== uid) return false
      const old = removingV0Key(database, { keyHash, uid })
      if (record === undefined && old.length === 0) return false
      database.commit([
        database.keys.removing(keyHash, ONLY),
        database.userKeys.removing(uid, keyHash),
        ...old,
      ])
      return true
    },
    renew: async ({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) => {
      const record = database.keys.get(keyHash, ONLY)
      // Two renewals from one reading: the first moves renewedAtMs, so the second changes nothing.
      if (record === undefined || record.renewedAtMs !== ifRenewedAtMs) return
      database.keys.put(keyHash, ONLY, { ...record, expiresAtMs, renewedAtMs })
    },
  }
}

/** Keys of one moment in the order of their hashes, as everywhere. */
function newestFirst(a: KeyRecord, b: KeyRecord): number {
  return b.createdAtMs - a.createdAtMs || (a.keyHash < b.keyHash ? -1 : 1)
}
