/** The port AdminKeys. A key and its name are one row; both are on the disk when the answer leaves. */
import type { AdminKey } from '../../../core/access/admin-key.ts'
import { ADMIN_ROLES } from '../../../core/access/admin-role.ts'
import type { AdminKeys } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, optionalIntAt, optionalTextAt, type Row, textAt, wordAt } from '../database/row.ts'

export function sqliteAdminKeys(database: Database): AdminKeys {
  const find = database.prepare('SELECT * FROM admin_keys WHERE keyId = ?')
  const list = database.prepare('SELECT * FROM admin_keys ORDER BY name')
  const insert = database.prepare(
    `INSERT OR IGNORE INTO admin_keys
       (keyId, name, role, keyPrefix, createdAtMs, createdBy, expiresAtMs, lastUsedDay)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = database.prepare('DELETE FROM admin_keys WHERE keyId = ?')
  const use = database.prepare(
    `UPDATE admin_keys SET lastUsedDay = ?
     WHERE keyId = ? AND (lastUsedDay IS NULL OR lastUsedDay < ?)`,
  )
  return {
    find: async (keyId) => {
      const row = await database.read(() => find.get(keyId))
      return row === undefined ? undefined : keyFrom(row)
    },
    list: async () => (await database.read(() => list.all())).map(keyFrom),
    create: (key) =>
      database.writeDurably(() => {
        const { keyId, name, role, keyPrefix, createdAtMs, createdBy } = key
        const ends = [key.expiresAtMs ?? null, key.lastUsedDay ?? null]
        return (
          insert.run(keyId, name, role, keyPrefix, createdAtMs, createdBy, ...ends).changes === 1
        )
      }),
    revoke: (keyId) =>
      database.writeDurably(() => {
        const row = find.get(keyId)
        if (row === undefined) return undefined
        remove.run(keyId)
        return keyFrom(row)
      }),
    noteUse: ({ keyId, day }) => database.write(() => void use.run(day, keyId, day)),
  }
}

function keyFrom(row: Row): AdminKey {
  return {
    keyId: textAt(row, 'keyId'),
    name: textAt(row, 'name'),
    role: wordAt(row, 'role', ADMIN_ROLES),
    keyPrefix: textAt(row, 'keyPrefix'),
    createdAtMs: intAt(row, 'createdAtMs'),
    createdBy: textAt(row, 'createdBy'),
    expiresAtMs: optionalIntAt(row, 'expiresAtMs'),
    lastUsedDay: optionalTextAt(row, 'lastUsedDay'),
  }
}
