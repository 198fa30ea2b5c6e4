/**
 * The port Keys. A key and its entry in its user's list are one row, so neither is without the other. Making
 * and revoking a key survive a loss of power. Caches nothing: a look-up costs
 * some microseconds.
 */
import type { Clock, Keys } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { v0Keys } from '../migration/v0-keys.ts'
import { keyFrom, keyInsert } from './key-row.ts'

export function sqliteKeys(database: Database, clock: Pick<Clock, 'nowMs'>): Keys {
  const insert = keyInsert(database)
  const find = database.prepare('SELECT * FROM keys WHERE keyHash = ?')
  const list = database.prepare(
    'SELECT * FROM keys WHERE uid = ? ORDER BY createdAtMs DESC, keyHash',
  )
  const remove = database.prepare('DELETE FROM keys WHERE keyHash = ?')
  const renew = database.prepare(
    'UPDATE keys SET expiresAtMs = ?, renewedAtMs = ? WHERE keyHash = ? AND renewedAtMs = ?',
  )
  const v0 = v0Keys(database)
  return {
    find: async (keyHash) => {
      const row = await database.read(() => find.get(keyHash))
      return row === undefined ? v0.findAndAsk(keyHash, clock.nowMs()) : keyFrom(row)
    },
    put: (record) => database.writeDurably(() => void insert(record)),
    list: async (uid) => (await database.read(() => list.all(uid))).map(keyFrom),
    revoke: ({ uid, keyHash }) =>
      database.writeDurably(() => {
        const row = find.get(keyHash)
        if (row !== undefined && keyFrom(row).uid !== uid) return false
        const removed = v0.removeFor({ keyHash, uid })
        if (row !== undefined) remove.run(keyHash)
        return removed || row !== undefined
      }),
    // Two renewals from one reading: the first moves renewedAtMs, so the second changes nothing.
    renew: ({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) =>
      database.write(() => void renew.run(expiresAtMs, renewedAtMs, keyHash, ifRenewedAtMs)),
  }
}
