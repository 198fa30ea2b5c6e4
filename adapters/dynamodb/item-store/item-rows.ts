/**
 * Tables of items over one SQLite connection that nobody else writes. Writes wait in memory, in their newest form,
 * until `flush` makes rows of them in the caller's transaction; reads of items see them at once. A query has them
 * flushed first.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TableNames } from '../client/document-store.ts'
import type { ItemTables, Range, Stored } from '../items/item-tables.ts'
import { readItem, writeItem } from '../items/item-text.ts'
import { Refused } from '../items/refused.ts'
import { NumberValue } from '../items/value.ts'
import type { Key } from '../table.ts'
import { type HotItems, hotItems } from './hot-items.ts'
import { type Row, type RowStatements, rowStatements } from './row-statements.ts'
import { ROW_TABLES, type RowTable } from './schema.ts'
import { type TurnWrites, turnWrites } from './turn-writes.ts'
import type { Touched, Written } from './written.ts'

export type ItemRows = ItemTables & {
  /** Begins a request. */
  lookAnew(): void
  /** What the request has read or written since. */
  touched(): Touched
  /** Makes rows of all writes that have none. */
  flush(): void
  /** How many items the turn has written so far. */
  written(): number
  /** All writes since this was asked last: they are kept now. */
  committed(): readonly Written[]
  /** Removes items whose time is over, of each table `limit` at most. */
  removeExpired(nowMs: number, limit: number): void
  /** After a rollback: what was written is lost, and everything is read anew. */
  forgetAll(): void
}

export type RowOptions = {
  /** Deployed names of the tables. */
  readonly tables: TableNames
  /** The number behind the last change, for an item that is news; undefined for any other. */
  changeOf(written: Written): number | undefined
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
  const rowsForPages = (name: string) => {
    writes.saw()
    flush()
    return all[tableOf(options.tables, name)]
  }
  return {
    ...itemsOver(all, writes, { hot, tables: options.tables }),
    lookAnew: writes.lookAnew,
    touched: writes.touched,
    written: writes.count,
    committed: writes.committed,
    range: (name, range) => rangeIn(rowsForPages(name), range),
    scan: (name, after) => scanIn(rowsForPages(name), after),
    flush,
    removeExpired: (nowMs, limit) => {
      for (const table of ROW_TABLES) {
        for (const key of all[table].removeExpired(nowMs, limit)) hot.forget(placeOf(table, key))
      }
    },
    forgetAll: () => {
      writes.forgetAll()
      hot.forgetAll()
    },
  }
}

/** Reads and writes of single items. */
function itemsOver(
  all: { readonly [table in RowTable]: RowStatements },
  writes: TurnWrites,
  { hot, tables }: { readonly hot: HotItems; readonly tables: TableNames },
): Pick<ItemTables, 'get' | 'put'> {
  return {
    get: (name, key) => {
      const table = tableOf(tables, name)
      const place = placeOf(table, key)
      writes.saw(place)
      const newest = writes.waiting(place)
      if (newest !== undefined) return newest.stored
      const known = hot.get(place)
      if (known !== undefined) return known
      const row = all[table].get(key)
      if (row === undefined) return undefined
      const stored = storedFrom(row)
      hot.set(place, stored)
      return stored
    },
    put: (name, key, stored, old) => {
      const table = tableOf(tables, name)
      const place = placeOf(table, key)
      writes.note(place, { table, key, stored, old })
      if (stored === undefined) hot.forget(place)
      else hot.set(place, stored)
    },
  }
}

function tableOf(tables: TableNames, name: string): RowTable {
  if (name === tables.gateway) return 'gateway'
  if (name === tables.sessions) return 'sessions'
  throw new Refused('ResourceNotFoundException', `there is no table ${name}`)
}

function placeOf(table: RowTable, { pk, sk }: Key): string {
  return `${table}\0${pk}\0${sk}`
}

function storedFrom({ bytes, item }: Row): Stored {
  return { item: readItem(item), bytes }
}

function writeRow(rows: RowStatements, { key, stored }: Written, change: number | undefined): void {
  if (stored === undefined) {
    rows.remove(key)
    return
  }
  const { bytes, item } = stored
  const ttl = item['ttl']
  const ttlSec = ttl instanceof NumberValue ? Number(ttl.value) : undefined
  rows.put(key, { item: writeItem(item), bytes }, ttlSec, change)
}

function* rangeIn(rows: RowStatements, range: Range): Iterable<Stored> {
  let { after } = range
  for (;;) {
    const found = rows.range({ ...range, after }, ROWS_PER_READ)
    for (const row of found) {
      const stored = storedFrom(row)
      yield stored
      after = String(stored.item['sk'])
    }
    if (found.length < ROWS_PER_READ) return
  }
}

function* scanIn(rows: RowStatements, start: Key | undefined): Iterable<Stored> {
  let after = start
  for (;;) {
    const found = rows.scan(after, ROWS_PER_READ)
    for (const row of found) {
      const stored = storedFrom(row)
      yield stored
      after = { pk: String(stored.item['pk']), sk: String(stored.item['sk']) }
    }
    if (found.length < ROWS_PER_READ) return
  }
}
