/**
 * Checks that the database and its log are still the files that were opened. SQLite would keep writing
 * into deleted or replaced files, and all of these writes would be lost with the process.
 */
import { statSync } from 'node:fs'

/** Pause between two checks: each adds some microseconds to a write. */
const CHECK_EVERY_MS = 20

export type Presence = {
  /** What is wrong, in words; checked within the last 20 ms, or right now if `now` is given. */
  trouble(now?: 'now'): string | undefined
}

/** Remembers the identity of the files at this moment. */
export function watchPresence(files: readonly string[]): Presence {
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
