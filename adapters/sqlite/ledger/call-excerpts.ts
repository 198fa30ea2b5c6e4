/** The port CallExcerpts. */
import type { CallExcerpts, Clock } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { textAt } from '../database/row.ts'

export function sqliteCallExcerpts(database: Database, clock: Pick<Clock, 'nowMs'>): CallExcerpts {
  const put = database.prepare(
    'INSERT OR REPLACE INTO call_excerpts (uid, callId, text, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const find = database.prepare(
    'SELECT text FROM call_excerpts WHERE uid = ? AND callId = ? AND expiresAtMs > ?',
  )
  const some = database.prepare('SELECT callId FROM call_excerpts WHERE uid = ? LIMIT ?')
  const remove = database.prepare('DELETE FROM call_excerpts WHERE uid = ? AND callId = ?')
  const removeOld = expiredRows(database, {
    table: 'call_excerpts',
    key: 'rowid',
    end: 'expiresAtMs',
  })
  return {
    put: ({ callId, expiresAtMs, text, uid }) =>
      database.write(() => {
        put.run(uid, callId, text, expiresAtMs)
        removeOld(clock.nowMs())
      }),
    find: async ({ callId, uid }) => {
      const row = await database.read(() => find.get(uid, callId, clock.nowMs()))
      return row === undefined ? undefined : textAt(row, 'text')
    },
    dropOwned: ({ limit, uid }) =>
      database.write(() => {
        const found = some.all(uid, limit + 1)
        for (const row of found.slice(0, limit)) remove.run(uid, textAt(row, 'callId'))
        return found.length <= limit
      }),
  }
}
