/**
 * The file's two tables of items, one for each table of DynamoDB. `change` numbers ledger entries
 * in the order of their writes (item-news.ts); `ttl` is the second from which an item may be
 * removed.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Fault } from '../../../core/errors.ts'

/** Version of the file's schema; a file of another version is refused. */
export const SCHEMA_VERSION = 1

/** "SKGI" in ASCII; it tells a file of Skillgate from another program's database. */
const APPLICATION_ID = 0x53_4b_47_49

export const ROW_TABLES = ['gateway', 'sessions'] as const
export type RowTable = (typeof ROW_TABLES)[number]

const tableSql = (table: RowTable) => `
CREATE TABLE ${table} (
  id INTEGER PRIMARY KEY, pk TEXT NOT NULL, sk TEXT NOT NULL, item TEXT NOT NULL, bytes INTEGER NOT NULL,
  ttl INTEGER, change INTEGER
) STRICT;
CREATE UNIQUE INDEX ${table}_keys ON ${table} (pk, sk);
CREATE INDEX ${table}_ends ON ${table} (ttl) WHERE ttl IS NOT NULL;
`

const SCHEMA = `
${ROW_TABLES.map(tableSql).join('')}
CREATE UNIQUE INDEX gateway_changes ON gateway (change) WHERE change IS NOT NULL;
CREATE TABLE places (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;
INSERT INTO places VALUES ('done', 0);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`

/**
 * Makes the tables in a new file. Throws `Fault('store_unavailable')` for a file of another schema.
 */
export function prepareSchema(connection: DatabaseSync, path: string): void {
  const [application, version] = [
    readPragma(connection, 'application_id'),
    readPragma(connection, 'user_version'),
  ]
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return
  const isNew = connection.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  if (!isNew || version !== 0) {
    const whose =
      application === APPLICATION_ID ? 'another version of Skillgate' : 'another program'
    throw new Fault(
      'store_unavailable',
      `store: ${path} was written by ${whose}; move it away to start from nothing`,
    )
  }
  connection.exec(`BEGIN EXCLUSIVE; ${SCHEMA} COMMIT`)
}

function readPragma(connection: DatabaseSync, pragma: string): number {
  return Number(connection.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}
