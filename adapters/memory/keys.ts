/** In-memory twin of the port Keys. Caches nothing: it is as near as a cache. */
import type { KeyRecord } from '../../core/access/principal.ts'
import type { Clock, Keys } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'
import { legacyKeyView, removingLegacyKey } from './v0.ts'

export function memoryKeys(cells: Cells, clock: Pick<Clock, 'nowMs'>): Keys {
  return {
    find: async (keyHash) =>
      cells.keys.get(keyHash, ONLY) ?? legacyKeyView(cells, keyHash, clock.nowMs()),
    put: async (record) => {
      const { uid, keyHash } = record
      if (cells.keys.get(keyHash, ONLY) !== undefined) return
      cells.commit([
        cells.userKeys.putting(uid, keyHash, { keyHash }),
        cells.keys.putting(keyHash, ONLY, record),
      ])
    },
    list: async (uid) =>
      cells.userKeys
        .list(uid)
        .flatMap(({ keyHash }) => cells.keys.get(keyHash, ONLY) ?? [])
        .sort(newestFirst),
    revoke: async ({ uid, keyHash }) => {
      const record = cells.keys.get(keyHash, ONLY)
      if (record !== undefined && record.uid !== uid) return false
      const old = removingLegacyKey(cells, { keyHash, uid })
      if (record === undefined && old.length === 0) return false
      cells.commit([
        cells.keys.removing(keyHash, ONLY),
        cells.userKeys.removing(uid, keyHash),
        ...old,
      ])
      return true
    },
    renew: async ({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) => {
      const record = cells.keys.get(keyHash, ONLY)
      // Two renewals from one reading: the first moves renewedAtMs, so the second changes nothing.
      if (record === undefined || record.renewedAtMs !== ifRenewedAtMs) return
      cells.keys.put(keyHash, ONLY, { ...record, expiresAtMs, renewedAtMs })
    },
  }
}

/** Keys of one moment in the order of their hashes, as everywhere. */
function newestFirst(a: KeyRecord, b: KeyRecord): number {
  return b.createdAtMs - a.createdAtMs || (a.keyHash < b.keyHash ? -1 : 1)
}
