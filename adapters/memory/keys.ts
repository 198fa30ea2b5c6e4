/** In-memory twin of the port Keys. Caches nothing: it is as near as a cache. */
import type { Keys } from '../../core/ports.ts'
import { type Cells, ONLY } from './cells.ts'

export function memoryKeys(cells: Cells): Keys {
  return {
    find: async (keyHash) => cells.keys.get(keyHash, ONLY),
    put: async (record) => {
      if (cells.keys.get(record.keyHash, ONLY) !== undefined) return
      cells.keys.put(record.keyHash, ONLY, record)
    },
    renew: async ({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) => {
      const record = cells.keys.get(keyHash, ONLY)
      // Two renewals from one reading: the first moves renewedAtMs, so the second changes nothing.
      if (record === undefined || record.renewedAtMs !== ifRenewedAtMs) return
      cells.keys.put(keyHash, ONLY, { ...record, expiresAtMs, renewedAtMs })
    },
  }
}
