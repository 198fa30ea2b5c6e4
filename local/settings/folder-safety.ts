/**
 * Decides whether a data folder can be trusted. It holds keys, credits and secrets, so the folder
 * and the twin's files in it must belong to this user, must not be links, and others may not write
 * to them. Files that others may only read are closed to them.
 */
import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../start-fault.ts'

/** Names of the files that the twin creates, also with an ending such as -wal, .new or .1. */
const TWIN_FILES = [
  '.gitignore',
  'archive',
  'credentials.json',
  'items.sqlite',
  'log.ndjson',
  'origin',
  'secrets.key',
  'twin.lock',
  'twin.pid',
]
/**
 * The key of secrets has a check of its own (secret-key.ts), which refuses a key that others may
 * read: closing the file would not help.
 */
const SECRETS_KEY_FILE = 'secrets.key'

const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077
const OWNER_ONLY = 0o600

/** Tells whether the twin creates files of this name. */
export function isTwinFile(name: string): boolean {
  return TWIN_FILES.some(
    (one) => name === one || name.startsWith(`${one}-`) || name.startsWith(`${one}.`),
  )
}

/**
 * Throws a StartFault for a folder that is a link, belongs to another user, or is writable by
 * others. A missing folder is safe.
 */
export function assertSafeFolder(path: string): void {
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
      `Data folder ${path} may be written by others (mode ${formatMode(found)}): look at what is in it, then chmod 700 it, ${choose}`,
    )
  }
}

/**
 * Closes the twin's files to other users and returns the names of those that others could read.
 * Throws a StartFault for a file that cannot be trusted.
 */
export function closeFilesToOthers(folder: string): readonly string[] {
  const names = readdirSync(folder).filter(isTwinFile)
  for (const name of names) assertSafeFile(join(folder, name))
  if (names.includes('archive')) assertNoLinks(join(folder, 'archive'))
  return names.filter((name) => {
    const file = join(folder, name)
    const found = lstatSync(file)
    if (name === SECRETS_KEY_FILE || !found.isFile() || !isOpen(found, OPEN_TO_OTHERS)) return false
    chmodSync(file, OWNER_ONLY)
    return true
  })
}

function assertSafeFile(file: string): void {
  const found = lstatSync(file)
  const choose = 'or choose another folder with --data FOLDER.'
  if (found.isSymbolicLink()) throw toLinkFault(file)
  // A socket of the emulator, left by a twin that was killed.
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
      `${file} may be written by others (mode ${formatMode(found)}): chmod ${closed} it if nobody has changed it, ${choose}`,
    )
  }
}

/** Refuses links in the archive, because its files are written into folders below it. */
function assertNoLinks(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const link = entries.find((entry) => entry.isSymbolicLink())
  if (link !== undefined) throw toLinkFault(join(link.parentPath, link.name))
}

function toLinkFault(file: string): StartFault {
  return new StartFault(
    `${file} is a link: put the file itself in its place, or choose another folder with --data FOLDER.`,
  )
}

/** Tells whether the file belongs to another user. Windows has no such owners. */
function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && process.getuid() !== uid
}

/** Tells whether the mode has one of these bits. Windows has no such modes. */
function isOpen({ mode }: Stats, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o777).toString(8)
}
