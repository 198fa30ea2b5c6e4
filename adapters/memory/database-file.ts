/**
 * The file behind the database: one SQLite table that every change is written through to, so that data
 * survive a restart and SIGKILL (WAL; what the operating system lost with the power is lost).
 * One process at a time: a second one would keep its own memory and spend the same credits again.
 *
 *   change ─▶ committed to the file ─▶ applied in memory ─▶ answered
 * A crash before the commit: nothing happened. After it: the next start reads it from the file.
 */
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import { Fault } from '../../core/errors.ts'
import type { Change, Journal } from './table.ts'

/** Rises when rows of an older version could no longer be read. */
const FORMAT_VERSION = 2

const SCHEMA = `CREATE TABLE IF NOT EXISTS rows (
  kind TEXT NOT NULL, part TEXT NOT NULL, sort TEXT NOT NULL, row BLOB NOT NULL,
  PRIMARY KEY (kind, part, sort)
) STRICT`

export type DatabaseFile = Journal & { close(): void }

/** Throws `Fault('store_unavailable')` when the file cannot be used; `write` does later. */
export function openDatabaseFile(path: string): DatabaseFile {
  const database = openDatabase(path)
  const read = database.prepare('SELECT part, sort, row FROM rows WHERE kind = ?')
  const put = database.prepare(
    'INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET row = excluded.row',
  )
  const remove = database.prepare('DELETE FROM rows WHERE kind = ? AND part = ? AND sort = ?')
  return {
    read: function* (table) {
      for (const { part, sort, row } of read.iterate(table)) {
        if (!(row instanceof Uint8Array)) continue
        yield { partition: String(part), sort: String(sort), row: deserialize(row) }
      }
    },
    write: (changes) => {
      try {
        writeAll(database, put, remove, changes)
      } catch (cause) {
        throw new Fault('store_unavailable', `${path}: cannot be written to`, cause)
      }
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    // Made before SQLite does, which copies these rights to its log: only the owner of a new one may read.
    closeSync(openSync(path, 'a', 0o600))
    database = new DatabaseSync(path)
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = NORMAL')
    checkFormat(database)
    database.exec(SCHEMA)
    return database
  } catch (cause) {
    database?.close()
    const why = cause instanceof Error ? cause.message : String(cause)
    const remedy = why.includes('locked') ? 'another process uses it; stop that one first' : why
    throw new Fault('store_unavailable', `${path}: cannot be opened: ${remedy}`, cause)
  }
}

/** Writing the version also takes the lock, so that a second process fails here. */
function checkFormat(database: DatabaseSync): void {
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  if (version !== 0 && version !== FORMAT_VERSION) {
    throw new Error(`its format is ${String(version)}, this build reads ${FORMAT_VERSION}`)
  }
  database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`)
}

function writeAll(
  database: DatabaseSync,
  put: StatementSync,
  remove: StatementSync,
  changes: readonly Change[],
): void {
  if (changes.length > 1) database.exec('BEGIN IMMEDIATE')
  try {
    for (const { table, partition, sort, row } of changes) {
      if (row === undefined) remove.run(table, partition, sort)
      else put.run(table, partition, sort, serialize(row))
    }
    if (changes.length > 1) database.exec('COMMIT')
  } catch (cause) {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
    throw cause
  }
}
