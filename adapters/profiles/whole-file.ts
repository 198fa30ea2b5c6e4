/**
 * Writes a whole file or nothing: a process that dies leaves the old file. It never writes through
 * a link: the new text first gets a random, free name beside `path`, and a link at `path` itself is
 * replaced.
 *
 *   open beside `path` (must be free) ─ write ─ flush ─▶ check ─▶ rename
 * `check` notices a folder that was replaced in between, unless that happens between `check` and
 * the rename, which follows at once
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

/** Throws the errors of the file system and of `check`; the old file is then unchanged. */
export function writeWholeFile(
  path: string,
  text: string,
  options: { readonly mode?: number; readonly check?: () => void } = {},
): void {
  const temporary = `${path}.${randomBytes(NAME_BYTES).toString('hex')}.new`
  // Windows has no O_NOFOLLOW, but O_EXCL also follows no link.
  const file = openSync(temporary, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), OWNER_ONLY)
  try {
    try {
      fchmodSync(file, options.mode ?? OWNER_ONLY)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    options.check?.()
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}
