/**
 * Whether a data folder can be trusted. It holds keys, credits and secrets, so the folder and the twin's files in it
 * must be this user's own, must not be links, and nobody else may write to them. Files that others may only read are
 * closed to them.
 */
import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../start-fault.ts'

/** Those that the twin makes, also with an ending such as -wal, .new or .1. */
const NAMES = [
  'archive',
  'credentials.json',
  'items.sqlite',
  'log.ndjson',
  'origin',
  'secrets.key',
  'twin.lock',
  'twin.pid',
]
/** Its own check (secret-key.ts) refuses a key that others may read, which cannot be mended by closing it. */
const KEY_OF_SECRETS = 'secrets.key'

const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077
const OWNER_ONLY = 0o600

export function isTwinFile(name: string): boolean {
  return NAMES.some(
    (one) => name === one || name.startsWith(`${one}-`) || name.startsWith(`${one}.`),
  )
}

/** Throws StartFault for a folder that is a link, another user's, or writable by others. A missing one is safe. */
export function refuseUnsafeFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const choose = 'or choose another folder with --data FOLDER.'
  if (found.isSymbolicLink()) {
    throw new StartFault(
      `Data folder ${path} is a link: name the folder behind it with --data FOLDER, ${choose}`,
    )
  }
  if (!found.isDirectory()) return
  if (isForeign(found)) {
    throw new StartFault(
      `Data folder ${path} belongs to another user (${found.uid}): make this user its owner, ${choose}`,
    )
  }
  if (isOpen(found, WRITABLE_BY_OTHERS)) {
    throw new StartFault(
      `Data folder ${path} may be written by others (mode ${modeOf(found)}): look at what is in it, then chmod 700 it, ${choose}`,
    )
  }
}

/** Returns the names of files that others could read until now. Throws StartFault for one that cannot be trusted. */
export function closeFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter(isTwinFile)
  for (const name of names) refuseUnsafeFile(join(folder, name))
  if (names.includes('archive')) refuseLinksIn(join(folder, 'archive'))
  return names.filter((name) => {
    const file = join(folder, name)
    const found = lstatSync(file)
    if (name === KEY_OF_SECRETS || !found.isFile() || !isOpen(found, OPEN_TO_OTHERS)) return false
    chmodSync(file, OWNER_ONLY)
    return true
  })
}

function refuseUnsafeFile(file: string): void {
  const found = lstatSync(file)
  const choose = 'or choose another folder with --data FOLDER.'
  if (found.isSymbolicLink()) throw isLink(file)
  // The emulator's, of a twin that was killed.
  if (found.isSocket()) return
  if (!found.isFile() && !found.isDirectory()) {
    throw new StartFault(`${file} is neither a file nor a folder: remove it, ${choose}`)
  }
  if (isForeign(found)) {
    throw new StartFault(
      `${file} belongs to another user (${found.uid}): make this user its owner if you know where it is from, ${choose}`,
    )
  }
  if (isOpen(found, WRITABLE_BY_OTHERS)) {
    const closed = found.isDirectory() ? 700 : 600
    throw new StartFault(
      `${file} may be written by others (mode ${modeOf(found)}): chmod ${closed} it if nobody has changed it, ${choose}`,
    )
  }
}

/** Files of the archive are put into folders below it. */
function refuseLinksIn(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const link = entries.find((entry) => entry.isSymbolicLink())
  if (link !== undefined) throw isLink(join(link.parentPath, link.name))
}

function isLink(file: string): StartFault {
  return new StartFault(
    `${file} is a link: put the file itself in its place, or choose another folder with --data FOLDER.`,
  )
}

/** Windows has no such owners. */
function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && process.getuid() !== uid
}

/** Windows has no such modes. */
function isOpen({ mode }: Stats, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8)
}
