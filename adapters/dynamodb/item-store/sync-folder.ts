/** Flushes a folder: the names of new files in it, too, are lost with the power unless that is done. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** What a test watches. */
const FILES = { closeSync, fsyncSync, openSync }

/** Throws what the file system throws. Windows flushes folders by itself. */
export function syncFolder(folder: string, files = FILES): void {
  if (process.platform === 'win32') return
  const open = files.openSync(folder, 'r')
  try {
    files.fsyncSync(open)
  } finally {
    files.closeSync(open)
  }
}
