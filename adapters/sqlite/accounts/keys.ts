/**
 * The port Keys. A key and its entry in its user's list are one row, so neither is without the other. Making
 * and revoking a key survive a loss of power. Caches keys while the database's epoch stays the same and this
 * connection makes, renews and revokes none.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Clock, Keys } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { knownRows } from '../database/known-rows.ts'
import { v0Keys } from '../migration/v0-keys.ts'
import { keyFrom, keyInsert } from './key-row.ts'

/** Keys at once: 500 bytes each. */
const KNOWN_KEYS_MAX = 4_000

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
  const known = knownRows<KeyRecord>(KNOWN_KEYS_MAX)
  const read = (keyHash: string): KeyRecord | undefined => {
    const epoch = database.epoch()
    const before = known.of(keyHash, epoch)
    if (before !== undefined) return before
    const row = find.get(keyHash)
    if (row === undefined) return undefined
    const record = keyFrom(row)
    known.keep(keyHash, epoch, record)
    return record
  }
  return {
    find: async (keyHash) =>
      (await database.readSoon(() => read(keyHash))) ?? v0.findAndAsk(keyHash, clock.nowMs()),
    put: (record) => database.writeDurably(() => void insert(record)),
    list: async (uid) => (await database.read(() => list.all(uid))).map(keyFrom),
    revoke: ({ uid, keyHash }) =>
      database.writeDurably(() => {
        const row = find.get(keyHash)
        if (row !== undefined && keyFrom(row).uid !== uid) return false
        const removed = v0.removeFor({ keyHash, uid })
        known.forget(keyHash)
        if (row !== undefined) remove.run(keyHash)
        return removed || row !== undefined
      }),
    // Two renewals from one reading: the first moves renewedAtMs, so the second changes nothing.
    renew: ({ keyHash, expiresAtMs, renewedAtMs, ifRenewedAtMs }) =>
      database.write(() => {
        renew.run(expiresAtMs, renewedAtMs, keyHash, ifRenewedAtMs)
        known.forget(keyHash)
      }),
  }
}
