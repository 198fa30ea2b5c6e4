/** One row of the table keys. */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'

export function keyFrom(row: Row): KeyRecord {
  return {
    keyHash: textAt(row, 'keyHash'),
    uid: textAt(row, 'uid'),
    username: textAt(row, 'username'),
    keyPrefix: textAt(row, 'keyPrefix'),
    createdAtMs: intAt(row, 'createdAtMs'),
    expiresAtMs: intAt(row, 'expiresAtMs'),
    renewedAtMs: intAt(row, 'renewedAtMs'),
  }
}

/** Inside a write; false when the hash is taken, and then nothing changes. */
export function keyInsert(database: Database): (record: KeyRecord) => boolean {
  const insert = database.prepare(
    `INSERT INTO keys (keyHash, uid, username, keyPrefix, createdAtMs, expiresAtMs, renewedAtMs)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return ({ createdAtMs, expiresAtMs, keyHash, keyPrefix, renewedAtMs, uid, username }) =>
    insert.run(keyHash, uid, username, keyPrefix, createdAtMs, expiresAtMs, renewedAtMs).changes ===
    1
}
