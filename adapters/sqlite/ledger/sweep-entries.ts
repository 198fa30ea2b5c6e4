/** The port SweepEntries: where the sweep looks for holds, and how far it has come. */
import type { SweepEntries } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, textAt } from '../database/row.ts'

export function sqliteSweepEntries(database: Database): SweepEntries {
  const add = database.prepare(
    'INSERT INTO sweep_entries (minute, uid) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const list = database.prepare('SELECT uid FROM sweep_entries WHERE minute = ? LIMIT ?')
  const remove = database.prepare('DELETE FROM sweep_entries WHERE minute = ? AND uid = ?')
  const readCursor = database.prepare('SELECT minute FROM sweep_cursor WHERE only = 1')
  const writeCursor = database.prepare(
    `INSERT INTO sweep_cursor (only, minute) VALUES (1, ?)
     ON CONFLICT DO UPDATE SET minute = max(minute, excluded.minute)`,
  )
  return {
    put: ({ uid, minute }) => database.write(() => void add.run(minute, uid)),
    list: async (minute, limit) => {
      const rows = await database.read(() => list.all(minute, limit + 1))
      const uids = rows.slice(0, limit).map((row) => textAt(row, 'uid'))
      return { uids, isWhole: rows.length <= limit }
    },
    remove: ({ uid, minute }) => database.write(() => void remove.run(minute, uid)),
    readCursor: async () => {
      const row = await database.read(() => readCursor.get())
      return row === undefined ? undefined : intAt(row, 'minute')
    },
    writeCursor: (minute) => database.write(() => void writeCursor.run(minute)),
  }
}
