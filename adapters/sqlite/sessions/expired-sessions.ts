/** Removes sessions whose time is over, with their pending requests, two with each new session. */
import type { Database } from '../database/database.ts'
import { textAt } from '../database/row.ts'

const REMOVED_PER_WRITE = 2

/** Runs inside the caller's write. Replies end by themselves. */
export function expiredSessions(database: Database): (nowMs: number) => void {
  const find = database.prepare(
    `SELECT hash FROM sessions WHERE expiresAtMs <= ? ORDER BY expiresAtMs LIMIT ${REMOVED_PER_WRITE}`,
  )
  const remove = database.prepare('DELETE FROM sessions WHERE hash = ?')
  const removePending = database.prepare('DELETE FROM pending_requests WHERE hash = ?')
  return (nowMs) => {
    for (const row of find.all(nowMs)) {
      const hash = textAt(row, 'hash')
      remove.run(hash)
      removePending.run(hash)
    }
  }
}
