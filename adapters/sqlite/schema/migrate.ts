/**
 * Brings a database forward, one version after the other, each in a transaction of its own: a process
 * that is killed between two leaves a version that exists, and the next start goes on from there. Two
 * processes at once: the second waits, finds the version and does nothing. Nothing is ever taken back.
 */
import type { DatabaseSync } from 'node:sqlite'
import { foldedName } from '../../../core/access/user-names.ts'
import { Fault } from '../../../core/errors.ts'

/** "SkGt": in the file's header, so that no other program's database is taken for ours. */
export const APPLICATION_ID = 0x536b4774

/** `versions[n]` is the SQL that makes version n + 1 of version n. */
export function migrate(connection: DatabaseSync, versions: readonly string[]): void {
  // SQLite's own lower() knows ASCII alone.
  connection.function('folded_name', { deterministic: true }, (name) => foldedName(String(name)))
  for (;;) {
    connection.exec('BEGIN IMMEDIATE')
    try {
      refuseForeign(connection, versions.length)
      const version = numberOf(connection, 'user_version')
      const sql = versions[version]
      if (sql !== undefined) makeVersion(connection, version + 1, sql)
      connection.exec('COMMIT')
      if (sql === undefined) return
    } catch (cause) {
      if (connection.isTransaction) connection.exec('ROLLBACK')
      throw cause
    }
  }
}

function makeVersion(connection: DatabaseSync, version: number, sql: string): void {
  connection.exec(sql)
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  connection.exec(`PRAGMA user_version = ${version}`)
}

/** Reads only: a file that is refused stays as it is. */
export function refuseForeign(connection: DatabaseSync, known: number): void {
  const isOurs = numberOf(connection, 'application_id') === APPLICATION_ID
  const version = numberOf(connection, 'user_version')
  const isEmpty = version === 0 && numberOf(connection, 'schema_version') === 0
  if (!isOurs && !isEmpty) {
    throw refusal(connection, 'belongs to another program; move it away')
  }
  if (version > known) {
    const remedy = 'start the newer Skillgate that made it'
    throw refusal(connection, `has schema ${version}, this build knows ${known}; ${remedy}`)
  }
}

function refusal(connection: DatabaseSync, why: string): Fault {
  return new Fault('store_unavailable', `store: ${connection.location() ?? ':memory:'} ${why}`)
}

function numberOf(connection: DatabaseSync, pragma: string): number {
  return Number(connection.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}
