/** The port Usernames. Of two writers from one version the first raises it; the second gets false. */
import { Fault } from '../../../core/errors.ts'
import type { Usernames } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'

export function sqliteUsernames(database: Database): Usernames {
  const find = database.prepare('SELECT uids, version FROM usernames WHERE name = ?')
  const put = database.prepare(
    'INSERT OR REPLACE INTO usernames (name, uids, version) VALUES (?, ?, ?)',
  )
  return {
    read: async (name) => {
      const row = await database.read(() => find.get(name))
      return row === undefined
        ? { uids: [], version: 0 }
        : { uids: uidsFrom(row), version: intAt(row, 'version') }
    },
    write: (name, { uids, version }) =>
      database.writeDurably(() => {
        const standing = find.get(name)
        const before = standing === undefined ? 0 : intAt(standing, 'version')
        if (before !== version - 1) return false
        put.run(name, JSON.stringify(uids), version)
        return true
      }),
  }
}

function uidsFrom(row: Row): readonly string[] {
  const value: unknown = JSON.parse(textAt(row, 'uids'))
  if (!Array.isArray(value)) throw new Fault('internal', 'store: column uids is not a list')
  return value.map(String)
}
