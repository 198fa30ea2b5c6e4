/**
 * Keeps a small file of the data folder whole: a process that dies, or a power cut, leaves the old file or the new
 * one. When `keepFile` returns, the disk has it.
 *
 *   beside it: write ─ flush ─ close ─▶ rename ─▶ flush the folder, which has the name
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

/** The folder contains keys. */
const OWNER_ONLY = 0o600

/** What a test watches. */
const FILES = { closeSync, fsyncSync, openSync, renameSync, writeFileSync }

/** Throws what the file system throws. */
export function keepFile(path: string, text: string, files = FILES): void {
  const beside = `${path}.new`
  // Of a process that died; a link there would lead elsewhere.
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

/** Follows no link, and does not wait at a pipe. Windows has neither. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The text, with the permissions that the file had; `isClosed` takes them from others. Throws as the file system does. */
export function readKeptFile(
  path: string,
  { isClosed }: { readonly isClosed: boolean },
): { readonly text: string; readonly mode: number } {
  const file = openSync(path, READ)
  try {
    const mode = fstatSync(file).mode & 0o777
    if (isClosed) fchmodSync(file, OWNER_ONLY)
    return { text: readFileSync(file, 'utf8'), mode }
  } finally {
    closeSync(file)
  }
}
