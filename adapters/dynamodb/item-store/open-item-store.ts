/**
 * Opens the engine of items over one SQLite file, which only this process has open, or over memory.
 * The engine answers the requests of the deployed adapters; commit-turn.ts says when they are
 * durable.
 */
import { closeSync, constants, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Fault } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import type { TableNames } from '../client/document-store.ts'
import type { StoreRequests } from '../client/store-requests.ts'
import type { Engine } from '../items/item-tables.ts'
import { commitByTurn, commitNever } from './commit-turn.ts'
import { engineRequests } from './engine-requests.ts'
import { type ItemNews, itemNews } from './item-news.ts'
import { itemRows } from './item-rows.ts'
import { keepSafe } from './safekeeping.ts'
import { prepareSchema } from './schema.ts'
import { makeStoreFault, toSqliteFault } from './store-fault.ts'
import type { WrittenItem } from './written.ts'

export type ItemStore = {
  readonly requests: StoreRequests
  readonly news: ItemNews
  /** Commits and flushes all writes, then closes the file. */
  close(): Promise<void>
}

export type ItemStoreOptions = {
  /** Undefined keeps everything in memory. */
  readonly file: string | undefined
  readonly tables: TableNames
  readonly clock: Pick<Clock, 'nowMs'>
  /** Receives each written item after its commit. */
  readonly onWritten?: (written: WrittenItem) => void
}

/** 16 MB of log. SQLite then copies it into the database, which blocks the process for some ms. */
const LOG_PAGES_MAX = 4_000

/** Throws `Fault('store_unavailable')` that names file and remedy if the file cannot be used. */
export function openItemStore(options: ItemStoreOptions): ItemStore {
  const { file } = options
  if (file === undefined) return makeItemStore(new DatabaseSync(':memory:'), options)
  let connection: DatabaseSync | undefined
  try {
    refuseLinks(file)
    refuseLogAlone(file)
    // Creates the file before SQLite does, which copies its rights to the log: only the owner reads
    // it.
    closeSync(openSync(file, NEW_FILE, 0o600))
    connection = new DatabaseSync(file, { timeout: 0 })
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL')
    // A commit does not wait for the disk; a checkpoint does.
    connection.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`)
    return makeItemStore(connection, options)
  } catch (cause) {
    connection?.close()
    throw openFault(file, cause)
  }
}

/** Windows has no O_NOFOLLOW. */
const NEW_FILE =
  constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

/**
 * SQLite follows links, so money would be stored in a file that is neither watched nor protected.
 */
function refuseLinks(file: string): void {
  const link = [file, `${file}-wal`, `${file}-shm`, `${file}-journal`].find(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  )
  if (link !== undefined) throw makeStoreFault(link, IS_LINK)
}

const IS_LINK = 'is a link; put the file itself in its place'

/**
 * SQLite would delete the log of an empty database, with all writes that are only in the log. This
 * check reads the log's size first, because the database has a header before a log begins.
 */
function refuseLogAlone(file: string): void {
  if (bytesIn(`${file}-wal`) > 0 && bytesIn(file) === 0) throw makeStoreFault(file, LOG_ALONE)
}

const LOG_ALONE =
  'is gone and its log (-wal) is not: put it back, or move the log away to start from nothing'

function bytesIn(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function openFault(file: string, cause: unknown): Fault {
  const isOfFiles = cause instanceof Error && 'syscall' in cause
  if (!isOfFiles) return toSqliteFault(file, cause)
  return makeStoreFault(file, `cannot be opened (${cause.message}); check its folder`, cause)
}

function makeItemStore(connection: DatabaseSync, options: ItemStoreOptions): ItemStore {
  const { clock, file, onWritten = () => {}, tables } = options
  const path = file ?? ':memory:'
  prepareSchema(connection, path)
  const news = itemNews(connection, () => commits.settled())
  const rows = itemRows(connection, {
    tables,
    changeOf: news.changeOf,
    begin: () => commits.begin(),
  })
  const tokens: Engine['tokens'] = new Map()
  const forget = () => {
    tokens.clear()
    news.forget()
  }
  const needs = { connection, rows, clock, onWritten, forget }
  const commits =
    file === undefined
      ? commitNever(needs)
      : commitByTurn({ ...needs, path: file, safe: keepSafe(connection, file) })
  const engine = { tables: rows, tokens, nowMs: () => clock.nowMs() }
  return {
    requests: engineRequests(engine, rows, commits, path),
    news,
    close: async () => {
      await commits.close()
      if (connection.isOpen) connection.close()
    },
  }
}
