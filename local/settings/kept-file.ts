/**
 * Keeps a small file of the data folder whole: a process that dies, or a power cut, leaves the old file or the new
 * one. When `keepFile` returns, the disk has it.
 *
 *   beside it: write ─ flush ─ close ─▶ rename ─▶ flush the folder, which has the name
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from '../../adapters/dynamodb/item-store/sync-folder.ts'

/** The folder contains keys. */
const OWNER_ONLY = 0o600

/** What a test watches. */
const FILES = { closeSync, fsyncSync, openSync, renameSync, writeFileSync }

/** Throws what the file system throws. */
export function keepFile(path: string, text: string, files = FILES): void {
  const beside = `${path}.new`
  const file = files.openSync(beside, 'w', OWNER_ONLY)
  try {
    files.writeFileSync(file, text)
    files.fsyncSync(file)
  } finally {
    files.closeSync(file)
  }
  files.renameSync(beside, path)
  syncFolder(dirname(path), files)
}
