/**
 * Whether the database and its log are still the files that were opened. SQLite would go on writing into
 * files that were deleted or replaced, and everything would be gone with the process.
 */
import { statSync } from 'node:fs'

/** Between two looks: each costs some microseconds of a write. */
const LOOK_EVERY_MS = 20

export type Presence = {
  /** What is wrong, in words; as of the last 20 ms unless `now`. */
  trouble(now?: 'now'): string | undefined
}

export function watchPresence(files: readonly string[]): Presence {
  const opened = files.map(identityOf)
  let lookedAtMs = performance.now()
  let found: string | undefined
  const look = () => {
    const places = files.map(identityOf)
    if (places.every((place, index) => place === opened[index])) return undefined
    return places.includes(undefined) ? VANISHED : REPLACED
  }
  return {
    trouble: (now) => {
      const atMs = performance.now()
      if (now === 'now' || atMs - lookedAtMs >= LOOK_EVERY_MS) {
        lookedAtMs = atMs
        found = look()
      }
      return found
    },
  }
}

const VANISHED = 'or its log (-wal) was deleted or moved; put both back, or start again'
const REPLACED = 'or its log (-wal) was replaced; start again to use the new one'

function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}
