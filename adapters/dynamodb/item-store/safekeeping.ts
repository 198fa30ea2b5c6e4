/**
 * Watches the file of a connection and flushes it to the disk. It checks that the database and its
 * log are still the files that were opened: SQLite would keep writing into deleted or replaced
 * files, and all of these writes would be lost with the process.
 */
import { closeSync, fdatasync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Fault } from '../../../core/errors.ts'
import { groupSync } from './group-sync.ts'
import { makeStoreFault } from './store-fault.ts'
import { syncFolder } from './sync-folder.ts'

/** A flush costs 0.2 ms of CPU; calls that end during the pause share the next flush. */
const FLUSH_PAUSE_MS = 4

export type Safekeeping = {
  /** What is wrong with the file, in words; each commit checks this first. */
  trouble(): string | undefined
  /** Resolves when all earlier commits are on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Throws the errors of the file system. */
export function keepSafe(connection: DatabaseSync, file: string): Safekeeping {
  // SQLite creates the log at the first write.
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
      // The system may have dropped pages that it could not write, so only a restart reads the
      // disk.
      broken = makeStoreFault(file, BROKEN, cause)
      throw broken
    })
    const trouble = presence.trouble('now')
    if (trouble !== undefined) throw makeStoreFault(file, trouble)
  }, FLUSH_PAUSE_MS)
  return {
    trouble: () => (broken === undefined ? presence.trouble() : BROKEN),
    sync,
    close: async () => {
      // Callers that waited for the disk have received the error already.
      await sync().catch(() => {})
      closeSync(log)
    },
  }
}

const BROKEN = 'could not be flushed to the disk; check it, then start again'

/** Pause between two checks: each adds some microseconds to a write. */
const CHECK_EVERY_MS = 20

type Presence = {
  /** What is wrong, in words; checked within the last 20 ms, or right now if `now` is given. */
  trouble(now?: 'now'): string | undefined
}

/** Remembers the identity of the files at this moment. */
function watchPresence(files: readonly string[]): Presence {
  const opened = files.map(readIdentity)
  let checkedAtMs = performance.now()
  let lastTrouble: string | undefined
  const check = () => {
    const places = files.map(readIdentity)
    if (places.every((place, index) => place === opened[index])) return undefined
    return places.includes(undefined) ? VANISHED : REPLACED
  }
  return {
    trouble: (now) => {
      const atMs = performance.now()
      if (now === 'now' || atMs - checkedAtMs >= CHECK_EVERY_MS) {
        checkedAtMs = atMs
        lastTrouble = check()
      }
      return lastTrouble
    },
  }
}

const VANISHED = 'or its log (-wal) was deleted or moved; put both back, or start again'
const REPLACED = 'or its log (-wal) was replaced; start again to use the new one'

function readIdentity(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}
