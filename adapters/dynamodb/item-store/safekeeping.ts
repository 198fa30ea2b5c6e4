/** The file behind a connection: whether it is still there, and its flushes to the disk. */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Fault } from '../../../core/errors.ts'
import { groupSync } from './group-sync.ts'
import { watchPresence } from './presence.ts'
import { storeFault } from './store-fault.ts'
import { syncFolder } from './sync-folder.ts'

/** A flush costs 0.2 ms of CPU; calls that end meanwhile share the next one. */
const FLUSH_PAUSE_MS = 4

export type Safekeeping = {
  /** The fault of the file's place, in words; asked before each commit. */
  trouble(): string | undefined
  /** Resolves when all that was committed before is on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Throws what the file system throws. */
export function keepSafe(connection: DatabaseSync, file: string): Safekeeping {
  // The first write makes the log.
  connection.exec('BEGIN IMMEDIATE; COMMIT')
  const logFile = `${file}-wal`
  const log = openSync(logFile, 'r+')
  syncFolder(dirname(file))
  const presence = watchPresence([file, logFile])
  const flush = promisify(fdatasync)
  let broken: Fault | undefined
  const sync = groupSync(async () => {
    if (broken !== undefined) throw broken
    await flush(log).catch((cause: unknown) => {
      // The system may have dropped pages that it could not write: only a new start reads the disk.
      broken = storeFault(file, BROKEN, cause)
      throw broken
    })
    const trouble = presence.trouble('now')
    if (trouble !== undefined) throw storeFault(file, trouble)
  }, FLUSH_PAUSE_MS)
  return {
    trouble: () => (broken === undefined ? presence.trouble() : BROKEN),
    sync,
    close: async () => {
      // Callers that waited for the disk have got the error by then.
      await sync().catch(() => {})
      closeSync(log)
    },
  }
}

const BROKEN = 'could not be flushed to the disk; check it, then start again'
