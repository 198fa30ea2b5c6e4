/**
 * The twin's data folder: created on the first start, used by one twin at a time. The lock is a
 * file lock of the kernel (SQLite's), so a killed twin leaves no lock, and no process id can be
 * mistaken for another's. The pid beside it is only for the message.
 *
 *   twin A                           twin B
 *   BEGIN EXCLUSIVE ─ has the lock   BEGIN EXCLUSIVE ─▶ SQLITE_BUSY: one line, exit 1
 *   killed ─ the kernel unlocks      the next try gets the lock
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../../adapters/dynamodb/item-store/sync-folder.ts'
import { readErrorCode, StartFault } from '../start-fault.ts'
import { assertSafeFolder, closeFilesToOthers } from './folder-safety.ts'
import { writeDurably } from './kept-file.ts'

export type DataFolder = {
  readonly path: string
  /** Names of files that others could read before this start. */
  readonly closed: readonly string[]
  /** Returns the origin of the last start; undefined on the first start. */
  lastOrigin(): string | undefined
  keepOrigin(origin: string): void
  release(): void
}

/** Thrown if another twin uses the folder. */
export class FolderInUseFault extends StartFault {}

/** The mode of the folder, which contains keys. */
const OWNER_ONLY = 0o700
const OWN_FILE = 0o600

const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC, O_WRONLY } = constants
/** Flags for a new text file. Windows has no O_NOFOLLOW. */
const NEW_TEXT_FLAGS = O_CREAT | O_TRUNC | O_WRONLY | (O_NOFOLLOW ?? 0)

/**
 * Opens and locks the folder. Throws a StartFault if the folder cannot be written or trusted, or if
 * another twin uses it.
 */
export function openDataFolder(path: string): DataFolder {
  const closed = openFolder(path)
  const lock = takeLock(path)
  try {
    const file = openSync(toPidFile(path), NEW_TEXT_FLAGS, OWN_FILE)
    writeFileSync(file, `${process.pid}\n`)
    closeSync(file)
  } catch (cause) {
    lock.close()
    throw toUnusableFault(path, cause)
  }
  const originFile = join(path, 'origin')
  return {
    path,
    closed,
    lastOrigin: () => readWord(originFile),
    keepOrigin: (origin) => {
      if (readWord(originFile) !== origin) writeDurably(originFile, `${origin}\n`)
    },
    release: () => lock.close(),
  }
}

function openFolder(path: string): readonly string[] {
  try {
    assertSafeFolder(path)
    if (createFolder(path))
      writeFileSync(join(path, '.gitignore'), NOTHING_IN_GIT, { mode: OWN_FILE })
    accessSync(path, constants.W_OK | constants.X_OK)
    return closeFilesToOthers(path)
  } catch (cause) {
    throw cause instanceof StartFault ? cause : toUnusableFault(path, cause)
  }
}

/** The folder may be made in a repository, and holds keys. */
const NOTHING_IN_GIT = '*\n'

/**
 * Creates the folder and its parents; returns false if it exists. Node's own `recursive` runs out
 * of memory if the system forbids writing.
 */
function createFolder(path: string): boolean {
  const parent = dirname(path)
  try {
    mkdirSync(path, { mode: OWNER_ONLY })
  } catch (cause) {
    if (readErrorCode(cause) === 'EEXIST' && statSync(path).isDirectory()) return false
    if (readErrorCode(cause) !== 'ENOENT' || existsSync(parent)) throw cause
    createFolder(parent)
    mkdirSync(path, { mode: OWNER_ONLY })
  }
  syncParent(parent)
  return true
}

/**
 * Flushes the parent folder. A parent that this user may not read cannot be flushed; the system
 * writes the name by itself some seconds later.
 */
function syncParent(parent: string): void {
  try {
    syncFolder(parent)
  } catch (cause) {
    if (readErrorCode(cause) !== 'EACCES') throw cause
  }
}

function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    const file = join(path, 'twin.lock')
    // The file is created here, because SQLite would let others read a new one.
    closeSync(openSync(file, O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), OWN_FILE))
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw toInUseFault(path)
    throw toUnusableFault(path, cause)
  }
}

/** Tells whether the error is SQLITE_BUSY: another process has locked the file. */
function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === 5
}

function toInUseFault(path: string): FolderInUseFault {
  const pid = readWord(toPidFile(path))
  const holder = pid === undefined ? 'another Skillgate' : `another Skillgate (process ${pid})`
  return new FolderInUseFault(
    `Data folder ${path} is in use by ${holder}: stop it, or give this one its own with --data FOLDER.`,
  )
}

function readWord(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    // The file is missing on the first start. An unreadable file is treated the same, because it is
    // only a convenience.
    return undefined
  }
}

function toUnusableFault(path: string, cause: unknown): StartFault {
  const code = readErrorCode(cause)
  const why = ['EEXIST', 'ENOTDIR'].includes(code)
    ? 'is not a folder'
    : `cannot be written (${code})`
  return new StartFault(
    `Data folder ${path} ${why}: choose another with --data FOLDER, or keep nothing on disk with --memory.`,
    cause,
  )
}

function toPidFile(path: string): string {
  return join(path, 'twin.pid')
}
