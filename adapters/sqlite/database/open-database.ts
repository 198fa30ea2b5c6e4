/**
 * Opens the database and brings it to this build's schema. Commits do not wait for the disk; callers that
 * need the disk use `writeDurably`, and one flush serves all of them.
 */
import { closeSync, constants, fdatasync, lstatSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Fault } from '../../../core/errors.ts'
import { migrate, refuseForeign } from '../schema/migrate.ts'
import { SCHEMA_VERSIONS } from '../schema/versions.ts'
import { checkpointsOf } from './checkpoints.ts'
import { type Database, databaseOver, type Safekeeping } from './database.ts'
import { groupSync } from './group-sync.ts'
import { watchPresence } from './presence.ts'
import { faultOf, storeFault } from './store-fault.ts'
import { storeThread } from './store-thread.ts'
import { syncFolder } from './sync-folder.ts'

/** Several processes may begin on one folder at the same time; nobody is served yet. */
const OPEN_BUSY_MS_MAX = 5_000

/** A flush costs 0.2 ms of CPU; calls that end meanwhile share the next one. */
const FLUSH_PAUSE_MS = 4

export type OpenOptions = {
  /** Called with trouble that needs no action: a checkpoint that failed. */
  readonly onTrouble?: (cause: unknown) => void
  /** Schema versions of a test in place of the product's. */
  readonly versions?: readonly string[]
}

/** Nothing on disk; one process. */
export function openMemoryDatabase(): Database {
  const connection = new DatabaseSync(':memory:')
  migrate(connection, SCHEMA_VERSIONS)
  return databaseOver(connection, ':memory:', undefined)
}

/** Throws `Fault('store_unavailable')` with file and remedy when the file cannot be used. */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  let connection: DatabaseSync | undefined
  try {
    refuseLinks(path)
    refuseLogAlone(path)
    // Made before SQLite does, which copies these rights to its log: only the owner may read a new one.
    closeSync(openSync(path, NEW_FILE, 0o600))
    connection = new DatabaseSync(path, { timeout: OPEN_BUSY_MS_MAX })
    prepare(connection, options.versions ?? SCHEMA_VERSIONS)
    return databaseOver(connection, path, keep(connection, path, options.onTrouble ?? (() => {})))
  } catch (cause) {
    connection?.close()
    throw openFault(path, cause)
  }
}

/** Windows has no O_NOFOLLOW. */
const NEW_FILE =
  constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

/** SQLite follows links: money would be kept in another file than the one that is watched and closed to others. */
function refuseLinks(path: string): void {
  const link = [path, `${path}-wal`, `${path}-shm`, `${path}-journal`].find(
    (file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  )
  if (link !== undefined) throw storeFault(link, IS_LINK)
}

const IS_LINK = 'is a link; put the file itself in its place'

/**
 * SQLite would throw the log of an empty database away, with all that was not moved out of it yet. A log is looked
 * for first: by the time that it begins, the database has its header.
 */
function refuseLogAlone(path: string): void {
  const hasLog = bytesIn(`${path}-wal`) > 0
  if (hasLog && bytesIn(path) === 0) throw storeFault(path, LOG_ALONE)
}

const LOG_ALONE =
  'is gone and its log (-wal) is not: put it back, or move the log away to start from nothing'

function bytesIn(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function prepare(connection: DatabaseSync, versions: readonly string[]): void {
  refuseForeign(connection, versions.length)
  connection.exec('PRAGMA journal_mode = WAL')
  // Never waits for the disk by itself: neither at a commit nor, since it makes none, at a checkpoint.
  connection.exec('PRAGMA synchronous = NORMAL')
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  migrate(connection, versions)
  connection.exec('PRAGMA busy_timeout = 0')
}

function keep(
  connection: DatabaseSync,
  path: string,
  onTrouble: (cause: unknown) => void,
): Safekeeping {
  const logFile = `${path}-wal`
  const log = openSync(logFile, 'r+')
  syncFolder(dirname(path))
  const presence = watchPresence([path, logFile])
  const thread = storeThread(path)
  const checkpoints = checkpointsOf(
    thread,
    connection.prepare('PRAGMA wal_checkpoint(NOOP)'),
    onTrouble,
  )
  const flush = promisify(fdatasync)
  let broken: Fault | undefined
  const sync = groupSync(async () => {
    if (broken !== undefined) throw broken
    await flush(log).catch((cause: unknown) => {
      // The system may have dropped pages that it could not write: only a new start reads the disk.
      broken = storeFault(path, BROKEN, cause)
      throw broken
    })
    const trouble = presence.trouble('now')
    if (trouble !== undefined) throw storeFault(path, trouble)
  }, FLUSH_PAUSE_MS)
  return {
    trouble: () => (broken === undefined ? presence.trouble() : BROKEN),
    sync,
    committed: checkpoints.committed,
    thread,
    close: async () => {
      // Callers that waited for the disk have got the error by then.
      await sync().catch(() => {})
      await thread.close()
      closeSync(log)
    },
  }
}

const BROKEN = 'could not be flushed to the disk; check it, then start again'

function openFault(path: string, cause: unknown): Fault {
  const isOfFiles = cause instanceof Error && 'syscall' in cause
  if (!isOfFiles) return faultOf(path, cause)
  return storeFault(path, `cannot be opened (${cause.message}); check its folder`, cause)
}
