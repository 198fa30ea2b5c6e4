/**
 * SQL statements over one table of items. Texts sort by their UTF-8 bytes, as DynamoDB's keys do.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Fault } from '../../../core/errors.ts'
import { compareTexts } from '../items/compile-condition.ts'
import type { Range } from '../items/item-tables.ts'
import type { Key } from '../table.ts'
import type { RowTable } from './schema.ts'

export type Row = { readonly item: string; readonly bytes: number }

export type RowStatements = {
  get(key: Key): Row | undefined
  put(key: Key, row: Row, ttlSec: number | undefined, change: number | undefined): void
  remove(key: Key): void
  range(range: Range, limit: number): readonly Row[]
  /** In the order of their keys. */
  scan(after: Key | undefined, limit: number): readonly Row[]
  /** Returns the keys of the removed items, `limit` at most. */
  removeExpired(nowMs: number, limit: number): readonly Key[]
}

/** As DynamoDB: expired items are deleted late, and never if they expired over five years ago. */
const LAG_SEC = 3_600
const TTL_AGE_MAX_SEC = 5 * 365 * 86_400

const COLUMNS = 'item, bytes'

export function rowStatements(connection: DatabaseSync, table: RowTable): RowStatements {
  const prepare = (sql: string) => connection.prepare(sql)
  const get = prepare(`SELECT ${COLUMNS} FROM ${table} WHERE pk = ? AND sk = ?`)
  const put = prepare(
    `INSERT INTO ${table} (pk, sk, item, bytes, ttl, change) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item, bytes = excluded.bytes,
       ttl = excluded.ttl, change = excluded.change`,
  )
  const remove = prepare(`DELETE FROM ${table} WHERE pk = ? AND sk = ?`)
  const first = prepare(`SELECT ${COLUMNS} FROM ${table} ORDER BY pk, sk LIMIT ?`)
  const next = prepare(
    `SELECT ${COLUMNS} FROM ${table} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ?`,
  )
  const removeExpired = prepare(removalSql(table))
  const forwards = rangeStatement(connection, table, '<=', 'ASC')
  const backwards = {
    from: rangeStatement(connection, table, '<=', 'DESC'),
    behind: rangeStatement(connection, table, '<', 'DESC'),
  }
  return {
    get: ({ pk, sk }) => readRow(get.get(pk, sk)),
    put: ({ pk, sk }, { bytes, item }, ttlSec, change) =>
      void put.get(pk, sk, item, bytes, ttlSec ?? null, change ?? null),
    remove: ({ pk, sk }) => void remove.get(pk, sk),
    range: ({ after, backwards: isBackwards, from = '', pk, to = LAST_KEY }, limit) => {
      // One bound on each side: with two on one side SQLite may start at the farther one.
      if (!isBackwards) return readRows(forwards.all(pk, laterStart(from, after), to, limit))
      const isBehind = after !== undefined && compareTexts(after, to) <= 0
      const statement = isBehind ? backwards.behind : backwards.from
      return readRows(statement.all(pk, from, isBehind ? after : to, limit))
    },
    scan: (after, limit) =>
      readRows(after === undefined ? first.all(limit) : next.all(after.pk, after.sk, limit)),
    removeExpired: (nowMs, limit) => {
      const nowSec = Math.floor(nowMs / 1_000)
      const removed = removeExpired.all(nowSec - TTL_AGE_MAX_SEC, nowSec - LAG_SEC, limit)
      return removed.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))
    },
  }
}

/** Sorts after every key of at most 1,024 bytes. */
const LAST_KEY = '\u{10FFFF}'.repeat(257)

/** The later of a lower bound and the first text after the key `after`. */
function laterStart(from: string, after: string | undefined): string {
  const behind = after === undefined ? '' : `${after}\0`
  return compareTexts(from, behind) >= 0 ? from : behind
}

function rangeStatement(
  connection: DatabaseSync,
  table: RowTable,
  upper: '<' | '<=',
  order: 'ASC' | 'DESC',
): StatementSync {
  return connection.prepare(
    `SELECT ${COLUMNS} FROM ${table} WHERE pk = ? AND sk >= ? AND sk ${upper} ?
     ORDER BY sk ${order} LIMIT ?`,
  )
}

/** A ledger entry that is not archived yet is never removed, even if it has expired. */
function removalSql(table: RowTable): string {
  const isTaken = "(change IS NULL OR change <= (SELECT number FROM places WHERE name = 'done'))"
  return `DELETE FROM ${table} WHERE id IN (
      SELECT id FROM ${table} WHERE ttl > ? AND ttl <= ? AND ${isTaken} ORDER BY ttl LIMIT ?
    ) RETURNING pk, sk`
}

function readRows(found: readonly Record<string, unknown>[]): readonly Row[] {
  return found.flatMap((row) => readRow(row) ?? [])
}

function readRow(row: Record<string, unknown> | undefined): Row | undefined {
  if (row === undefined) return undefined
  const { bytes, item } = row
  if (typeof item === 'string' && typeof bytes === 'number') return { item, bytes }
  throw new Fault('internal', 'store: a row has another form than this gateway writes')
}
