/**
 * Flushes a folder to the disk. Without a flush, a power cut can lose the names of its new files.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** File functions, which a test replaces. */
const FILES = { closeSync, fsyncSync, openSync }

/** Throws the errors of the file system. Windows flushes folders by itself. */
export function syncFolder(folder: string, files = FILES): void {
  if (process.platform === 'win32') return
  const open = files.openSync(folder, 'r')
  try {
    files.fsyncSync(open)
  } finally {
    files.closeSync(open)
  }
}
