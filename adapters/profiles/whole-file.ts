/**
 * Writes a file of the person whole or not at all: a process that dies leaves the old file. Never writes through a
 * link: the new text gets a name beside it that nobody can guess and that must be free, and a link at `path` itself
 * is replaced.
 *
 *   open beside it (must be free) ─ write ─ flush ─▶ check ─▶ rename
 *   a folder that somebody puts in the place of the checked one in between is seen by `check`, unless it comes
 *   between `check` and the rename, which follow each other at once
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const OWNER_ONLY = 0o600
const NAME_BYTES = 12

/** Throws what the file system and `check` throw; the old file is then as it was. */
export function writeWhole(
  path: string,
  text: string,
  options: { readonly mode?: number; readonly check?: () => void } = {},
): void {
  const beside = `${path}.${randomBytes(NAME_BYTES).toString('hex')}.new`
  // Windows has no O_NOFOLLOW; O_EXCL alone follows no link either.
  const file = openSync(beside, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), OWNER_ONLY)
  try {
    try {
      fchmodSync(file, options.mode ?? OWNER_ONLY)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    options.check?.()
    renameSync(beside, path)
  } catch (cause) {
    rmSync(beside, { force: true })
    throw cause
  }
}
