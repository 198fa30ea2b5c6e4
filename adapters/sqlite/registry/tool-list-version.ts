/** The port ToolListVersion: one row, which only grows. */
import type { ToolListVersion } from '../../../core/ports.ts'
import type { ListChanges } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import { intAt } from '../database/row.ts'

export function sqliteToolListVersion(database: Database, changes: ListChanges): ToolListVersion {
  const read = database.prepare('SELECT changedAtMs FROM tool_list_version WHERE only = 1')
  const write = database.prepare(
    `INSERT INTO tool_list_version (only, changedAtMs) VALUES (1, ?)
     ON CONFLICT DO UPDATE SET changedAtMs = max(excluded.changedAtMs, changedAtMs + 1)
     RETURNING changedAtMs`,
  )
  const readRow = async () => {
    const row = await database.read(() => read.get())
    return row === undefined ? 0 : intAt(row, 'changedAtMs')
  }
  return {
    read: readRow,
    recent: readRow,
    write: async (nowMs) => {
      const changedAtMs = await database.writeDurably(() => {
        changes.count()
        return intAt(write.get(nowMs) ?? {}, 'changedAtMs')
      })
      changes.ring()
      return changedAtMs
    },
  }
}
