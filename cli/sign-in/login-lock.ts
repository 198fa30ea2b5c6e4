/**
 * Lets one process at a time renew a sign-in, because an issuer that sees a refresh token twice ends
 * the whole sign-in. The lock is a file that only its creator gets.
 *
 *   A: creates the file ─ asks the issuer ─ keeps the new tokens ─ deletes the file
 *   B: file exists ─ waits ───────────────────────────────────────▶ creates it, reads A's tokens
 *   A dies: its file is removed once it is older than a request can take
 *
 * Two processes may both remove a file that is too old. Each removes the one that it saw, by moving
 * it to a name of its own; a process that moved a newer file puts it back.
 */
import { randomBytes } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CommandFault } from '../terminal/exit-code.ts'

/** Longer than the timeout of a request to an issuer, 40 s. */
export const LOCK_STALE_MS = 60_000
/** Time after which a waiting command gives up: a stale lock is gone by then. */
const LOCK_WAIT_MS = 90_000
const RETRY_MS = 50
const OWNER_ONLY = { file: 0o600, folder: 0o700 }

/** Runs `work` while no other process holds the lock at `path`. Throws what `work` throws. */
export async function withLock<T>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const own = randomBytes(16).toString('hex')
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY.folder })
  const endsAtMs = Date.now() + LOCK_WAIT_MS
  while (!takeLock(path, own)) {
    if (Date.now() > endsAtMs) {
      throw new CommandFault('Another skillgate renews this sign-in and does not end.', {
        remedy: `End it, or delete ${path}.`,
      })
    }
    await wait(RETRY_MS, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    if (readLock(path) === own) rmSync(path, { force: true })
  }
}

function takeLock(path: string, own: string): boolean {
  try {
    writeFileSync(path, own, { flag: 'wx', mode: OWNER_ONLY.file })
    return true
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw cause
    removeStale(path)
    return false
  }
}

function removeStale(path: string): void {
  const holder = readLock(path)
  if (holder === undefined || !isStale(path)) return
  const aside = `${path}.${randomBytes(8).toString('hex')}`
  try {
    renameSync(path, aside)
    if (readLock(aside) !== holder) linkSync(aside, path)
  } catch (cause) {
    // ENOENT: another process was faster. EEXIST: a third one has the lock by now.
    if (!hasCode(cause, 'ENOENT') && !hasCode(cause, 'EEXIST')) throw cause
  } finally {
    rmSync(aside, { force: true })
  }
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS
  } catch {
    // The holder has just deleted it.
    return false
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The holder has just deleted it.
    return undefined
  }
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code
}
