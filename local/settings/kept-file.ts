/**
 * Writes a small file of the data folder durably: after a crash or a power cut there is the old
 * file or the new one. When `writeDurably` returns, the disk has the file.
 *
 *   a file beside it: write ─ flush ─ close ─▶ rename ─▶ flush the folder, which has the name
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from '../../adapters/dynamodb/item-store/sync-folder.ts'

/** The mode of the files; the folder contains keys. */
const OWNER_ONLY = 0o600

/** The calls of the file system, which a test replaces. */
const FILES = { closeSync, fsyncSync, openSync, renameSync, writeFileSync }

/** Writes the file. Throws the errors of the file system. */
export function writeDurably(path: string, text: string, files = FILES): void {
  const beside = `${path}.new`
  // Removes a file of a process that died; a link there would lead elsewhere.
  rmSync(beside, { force: true })
  const file = files.openSync(beside, 'wx', OWNER_ONLY)
  try {
    files.writeFileSync(file, text)
    files.fsyncSync(file)
  } finally {
    files.closeSync(file)
  }
  files.renameSync(beside, path)
  syncFolder(dirname(path), files)
}

/** Flags for reading: follow no link, and do not wait for a pipe. Windows has neither flag. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads the text and the mode of the file. With `isClosed` the file is closed to others. Throws the
 * errors of the file system.
 */
export function readOwnFile(
  path: string,
  { isClosed }: { readonly isClosed: boolean },
): { readonly text: string; readonly mode: number } {
  const file = openSync(path, READ_FLAGS)
  try {
    const mode = fstatSync(file).mode & 0o777
    if (isClosed) fchmodSync(file, OWNER_ONLY)
    return { text: readFileSync(file, 'utf8'), mode }
  } finally {
    closeSync(file)
  }
}
