/**
 * The twin's data folder: made on the first start, used by one twin at a time. The lock is a file
 * lock of the kernel (SQLite's), so a killed twin leaves no lock, and no process id can be mistaken
 * for another's; the pid beside it only serves the message.
 *
 *   twin A                         twin B
 *   BEGIN EXCLUSIVE ─ holds it     BEGIN EXCLUSIVE ─▶ SQLITE_BUSY: one line, exit 1
 *   killed ─ the kernel lets go    next try gets it
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
import { errorCode, StartFault } from '../start-fault.ts'
import { closeFiles, refuseUnsafeFolder } from './folder-safety.ts'
import { keepFile } from './kept-file.ts'

export type DataFolder = {
  readonly path: string
  /** Files that others could read until now. */
  readonly closed: readonly string[]
  /** The origin of the last start; undefined on the first. */
  lastOrigin(): string | undefined
  keepOrigin(origin: string): void
  release(): void
}

/** Another twin has the folder. */
export class FolderInUse extends StartFault {}

/** The folder contains keys. */
const OWNER_ONLY = 0o700
const OWN_FILE = 0o600

const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC, O_WRONLY } = constants
/** Windows has no O_NOFOLLOW. */
const NEW_TEXT = O_CREAT | O_TRUNC | O_WRONLY | (O_NOFOLLOW ?? 0)

/** Throws StartFault when the folder cannot be written or trusted, or another twin uses it. */
export function openDataFolder(path: string): DataFolder {
  const closed = openedFolder(path)
  const lock = takeLock(path)
  try {
    const file = openSync(pidFile(path), NEW_TEXT, OWN_FILE)
    writeFileSync(file, `${process.pid}\n`)
    closeSync(file)
  } catch (cause) {
    lock.close()
    throw unusable(path, cause)
  }
  const originFile = join(path, 'origin')
  return {
    path,
    closed,
    lastOrigin: () => readWord(originFile),
    keepOrigin: (origin) => {
      if (readWord(originFile) !== origin) keepFile(originFile, `${origin}\n`)
    },
    release: () => lock.close(),
  }
}

function openedFolder(path: string): readonly string[] {
  try {
    refuseUnsafeFolder(path)
    makeFolder(path)
    accessSync(path, constants.W_OK | constants.X_OK)
    return closeFiles(path)
  } catch (cause) {
    throw cause instanceof StartFault ? cause : unusable(path, cause)
  }
}

/** Like mkdir -p. Node's own `recursive` runs out of memory where the system forbids writing. */
function makeFolder(path: string): void {
  const parent = dirname(path)
  try {
    mkdirSync(path, { mode: OWNER_ONLY })
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST' && statSync(path).isDirectory()) return
    if (errorCode(cause) !== 'ENOENT' || existsSync(parent)) throw cause
    makeFolder(parent)
    mkdirSync(path, { mode: OWNER_ONLY })
  }
  keepName(parent)
}

/** A parent that this user may not read cannot be flushed; the system writes the name by itself, some seconds later. */
function keepName(parent: string): void {
  try {
    syncFolder(parent)
  } catch (cause) {
    if (errorCode(cause) !== 'EACCES') throw cause
  }
}

function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    const file = join(path, 'twin.lock')
    // SQLite would let others read a new one.
    closeSync(openSync(file, O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), OWN_FILE))
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw inUse(path)
    throw unusable(path, cause)
  }
}

/** True for the SQLITE_BUSY of a file that another process has locked. */
function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === 5
}

function inUse(path: string): FolderInUse {
  const pid = readWord(pidFile(path))
  const holder = pid === undefined ? 'another Skillgate' : `another Skillgate (process ${pid})`
  return new FolderInUse(
    `Data folder ${path} is in use by ${holder}: stop it, or give this one its own with --data FOLDER.`,
  )
}

function readWord(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    // Missing on the first start; an unreadable file is treated the same, since it is only a
    // convenience.
    return undefined
  }
}

function unusable(path: string, cause: unknown): StartFault {
  const code = errorCode(cause)
  const why = ['EEXIST', 'ENOTDIR'].includes(code)
    ? 'is not a folder'
    : `cannot be written (${code})`
  return new StartFault(
    `Data folder ${path} ${why}: choose another with --data FOLDER, or keep nothing on disk with --memory.`,
    cause,
  )
}

function pidFile(path: string): string {
  return join(path, 'twin.pid')
}
