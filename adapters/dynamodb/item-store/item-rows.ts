/**
 * Tables of items over one SQLite connection that no other process writes. The newest write of each
 * item waits in memory until `flush` makes rows in the caller's transaction. Reads of items see
 * these writes at once; a query flushes them first.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TableNames } from '../client/document-store.ts'
import type { ItemTables, Range, StoredItem } from '../items/item-tables.ts'
import { readItem, writeItem } from '../items/item-text.ts'
import { RefusedRequest } from '../items/refused.ts'
import { NumberValue } from '../items/value.ts'
import type { Key } from '../table.ts'
import { type HotItems, hotItems } from './hot-items.ts'
import { type Row, type RowStatements, rowStatements } from './row-statements.ts'
import { ROW_TABLES, type RowTable } from './schema.ts'
import { type TurnWrites, turnWrites } from './turn-writes.ts'
import type { AnswerWait, WrittenItem } from './written.ts'

export type ItemRows = ItemTables & {
  /** Begins a request: `touched` starts again. */
  lookAnew(): void
  /** What the request has read or written so far. */
  touched(): AnswerWait
  /** Makes rows of all writes that wait in memory. */
  flush(): void
  /** How many items the turn has written so far. */
  written(): number
  /** All writes since the last call of this method; the caller has committed them. */
  committed(): readonly WrittenItem[]
  /** Removes expired items, at most `limit` of each table. */
  removeExpired(nowMs: number, limit: number): void
  /** After a rollback: forgets the lost writes and all cached items. */
  forgetAll(): void
}

export type RowOptions = {
  /** Deployed names of the tables. */
  readonly tables: TableNames
  /** The next number for a ledger entry (item-news.ts); undefined for any other item. */
  changeOf(written: WrittenItem): number | undefined
  /** Opens the transaction that a flush needs. */
  begin(): void
}

/** Rows of one step of a query. */
const ROWS_PER_READ = 64

export function itemRows(connection: DatabaseSync, options: RowOptions): ItemRows {
  const writes = turnWrites()
  const hot = hotItems()
  const all = {
    gateway: rowStatements(connection, 'gateway'),
    sessions: rowStatements(connection, 'sessions'),
  }
  const flush = () =>
    writes.makeRows((waiting) => {
      options.begin()
      for (const one of waiting) writeRow(all[one.table], one, options.changeOf(one))
    })
  const rowsForQuery = (name: string) => {
    writes.saw()
    flush()
    return all[findTable(options.tables, name)]
  }
  return {
    ...makeItemAccess(all, writes, { hot, tables: options.tables }),
    lookAnew: writes.lookAnew,
    touched: writes.touched,
    written: writes.count,
    committed: writes.committed,
    range: (name, range) => readRange(rowsForQuery(name), range),
    scan: (name, after) => readScan(rowsForQuery(name), after),
    flush,
    removeExpired: (nowMs, limit) => {
      for (const table of ROW_TABLES) {
        for (const key of all[table].removeExpired(nowMs, limit)) hot.forget(writePlace(table, key))
      }
    },
    forgetAll: () => {
      writes.forgetAll()
      hot.forgetAll()
    },
  }
}

/** Reads and writes of single items. */
function makeItemAccess(
  all: { readonly [table in RowTable]: RowStatements },
  writes: TurnWrites,
  { hot, tables }: { readonly hot: HotItems; readonly tables: TableNames },
): Pick<ItemTables, 'get' | 'put'> {
  return {
    get: (name, key) => {
      const table = findTable(tables, name)
      const place = writePlace(table, key)
      writes.saw(place)
      const newest = writes.waiting(place)
      if (newest !== undefined) return newest.stored
      const known = hot.get(place)
      if (known !== undefined) return known
      const row = all[table].get(key)
      if (row === undefined) return undefined
      const stored = readStored(row)
      hot.set(place, stored)
      return stored
    },
    put: (name, key, stored, old) => {
      const table = findTable(tables, name)
      const place = writePlace(table, key)
      writes.note(place, { table, key, stored, old })
      if (stored === undefined) hot.forget(place)
      else hot.set(place, stored)
    },
  }
}

function findTable(tables: TableNames, name: string): RowTable {
  if (name === tables.gateway) return 'gateway'
  if (name === tables.sessions) return 'sessions'
  throw new RefusedRequest('ResourceNotFoundException', `there is no table ${name}`)
}

function writePlace(table: RowTable, { pk, sk }: Key): string {
  return `${table}\0${pk}\0${sk}`
}

function readStored({ bytes, item }: Row): StoredItem {
  return { item: readItem(item), bytes }
}

function writeRow(
  rows: RowStatements,
  { key, stored }: WrittenItem,
  change: number | undefined,
): void {
  if (stored === undefined) {
    rows.remove(key)
    return
  }
  const { bytes, item } = stored
  const ttl = item['ttl']
  const ttlSec = ttl instanceof NumberValue ? Number(ttl.value) : undefined
  rows.put(key, { item: writeItem(item), bytes }, ttlSec, change)
}

function* readRange(rows: RowStatements, range: Range): Iterable<StoredItem> {
  let { after } = range
  for (;;) {
    const found = rows.range({ ...range, after }, ROWS_PER_READ)
    for (const row of found) {
      const stored = readStored(row)
      yield stored
      after = String(stored.item['sk'])
    }
    if (found.length < ROWS_PER_READ) return
  }
}

function* readScan(rows: RowStatements, start: Key | undefined): Iterable<StoredItem> {
  let after = start
  for (;;) {
    const found = rows.scan(after, ROWS_PER_READ)
    for (const row of found) {
      const stored = readStored(row)
      yield stored
      after = { pk: String(stored.item['pk']), sk: String(stored.item['sk']) }
    }
    if (found.length < ROWS_PER_READ) return
  }
}
