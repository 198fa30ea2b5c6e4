/** The port StreamLeases. The loss of power takes the streams with it, so none waits for the disk. */
import type { Clock, StreamLeases } from '../../../core/ports.ts'
import type { StreamLease } from '../../../core/session/session.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { intAt, type Row, textAt } from '../database/row.ts'

export function sqliteLeases(database: Database, clock: Pick<Clock, 'nowMs'>): StreamLeases {
  const put = database.prepare(
    'INSERT OR IGNORE INTO leases (keyHash, session, openedAtMs, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const renew = database.prepare(
    'UPDATE leases SET expiresAtMs = MAX(expiresAtMs, ?) WHERE keyHash = ? AND session = ?',
  )
  const list = database.prepare('SELECT * FROM leases WHERE expiresAtMs > ?')
  const listOfKey = database.prepare('SELECT * FROM leases WHERE keyHash = ? AND expiresAtMs > ?')
  const count = database.prepare('SELECT COUNT(*) AS open FROM leases WHERE expiresAtMs > ?')
  const remove = database.prepare('DELETE FROM leases WHERE keyHash = ? AND session = ?')
  const removeOld = expiredRows(database, {
    table: 'leases',
    key: 'keyHash, session',
    end: 'expiresAtMs',
  })
  return {
    put: ({ keyHash, session, openedAtMs, expiresAtMs }) =>
      database.write(() => {
        put.run(keyHash, session, openedAtMs, expiresAtMs)
        removeOld(clock.nowMs())
      }),
    renew: ({ keyHash, session, expiresAtMs }) =>
      database.write(() => renew.run(expiresAtMs, keyHash, session).changes > 0),
    list: async (nowMs) => (await database.read(() => list.all(nowMs))).map(leaseFrom),
    listOfKey: async (keyHash, nowMs) =>
      (await database.read(() => listOfKey.all(keyHash, nowMs))).map(leaseFrom),
    // The file counts its rows, so nobody has to note a list.
    countOpening: async (nowMs) => {
      const row = await database.read(() => count.get(nowMs))
      return { atMost: row === undefined ? 0 : intAt(row, 'open'), openings: 0, list: undefined }
    },
    noteListed: async () => {},
    remove: ({ keyHash, session }) => database.write(() => void remove.run(keyHash, session)),
  }
}

function leaseFrom(row: Row): StreamLease {
  return {
    keyHash: textAt(row, 'keyHash'),
    session: textAt(row, 'session'),
    openedAtMs: intAt(row, 'openedAtMs'),
    expiresAtMs: intAt(row, 'expiresAtMs'),
  }
}
