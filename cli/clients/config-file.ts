/**
 * Reads and replaces the configuration file of a client. A project is often a clone of somebody else's: no link in
 * it leads out of it, neither to read nor to write. A person's own file may be a link, as in collections of
 * dotfiles; the file behind it is replaced.
 */
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { writeWhole } from '../../adapters/profiles/whole-file.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { decodedText } from '../terminal/read-text.ts'

export type ConfigPath = {
  /** As the client is told to have it. */
  readonly path: string
  /** No link below it leads out of it; undefined for files of the person's own. */
  readonly project: string | undefined
}

const OTHERS = 0o077
const MODE = 0o777
const OWNER_ONLY = 0o600

/** Undefined where there is no file. Throws CommandFault when it is a link out of its project, or no file at all. */
export function textOfFile(at: ConfigPath): string | undefined {
  const real = realPath(at)
  if (lstatSync(real, { throwIfNoEntry: false }) === undefined) return undefined
  const { O_NOFOLLOW, O_RDONLY } = constants
  const file = guarded(at.path, 'read', () => openSync(real, O_RDONLY | (O_NOFOLLOW ?? 0)))
  try {
    return decodedText(readFileSync(file), at.path)
  } finally {
    closeSync(file)
  }
}

/** True of links to nothing, too; what cannot be looked at is refused where it is read. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

export type Replacement = {
  readonly text: string
  /** What is kept beside it; undefined: nothing is. */
  readonly backup: string | undefined
  /** Then only its owner may read the file. */
  readonly holdsKey: boolean
}

export type Replaced = {
  /** Links resolved. */
  readonly real: string
  readonly backup: string | undefined
  /** Others could read the file before, and no longer can. */
  readonly isTightened: boolean
}

/** Whole or not at all; keeps the file's mode unless it holds a key. The copy is for the owner alone. */
export function replaceFile(at: ConfigPath, { backup, holdsKey, text }: Replacement): Replaced {
  const real = realPath(at)
  return guarded(at.path, 'written', () => {
    mkdirSync(dirname(real), { recursive: true })
    const before = statSync(real, { throwIfNoEntry: false })
    const mode = before === undefined ? OWNER_ONLY : before.mode & MODE
    const check = () => {
      if (realPath(at) !== real) throw refused(`${at.path} was moved while it was changed.`)
    }
    const copy = before === undefined || backup === undefined ? undefined : backupOf(real)
    if (copy !== undefined && backup !== undefined) {
      refuseOther(copy)
      writeWhole(copy, backup, { check })
    }
    writeWhole(real, text, { mode: holdsKey ? mode & ~OTHERS : mode, check })
    return { real, backup: copy, isTightened: holdsKey && (mode & OTHERS) !== 0 }
  })
}

/** True where others could read the file until now. */
export function closeToOthers(at: ConfigPath): boolean {
  const real = realPath(at)
  return guarded(at.path, 'closed to others', () => {
    const mode = statSync(real).mode & MODE
    if ((mode & OTHERS) === 0) return false
    chmodSync(real, mode & ~OTHERS)
    return true
  })
}

/** Where the text before a change is kept. */
export function backupAt(at: ConfigPath): ConfigPath {
  return { path: backupOf(realPath(at)), project: at.project }
}

export function removeFile(at: ConfigPath): void {
  rmSync(realPath(at), { force: true })
}

/** True below a folder that git keeps the history of: what is there is easily published. */
export function isInRepository(path: string): boolean {
  const folder = dirname(path)
  if (folder === path) return false
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined
    ? true
    : isInRepository(folder)
}

function backupOf(real: string): string {
  return `${real}.skillgate-backup`
}

/** The path with its links resolved, also where the file is missing. */
function realPath({ path, project }: ConfigPath): string {
  return guarded(path, 'read', () =>
    project === undefined ? ownPath(path) : pathInProject(path, project),
  )
}

function ownPath(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const real = found?.isSymbolicLink() === true ? behindLink(path) : path
  refuseOther(real)
  return real
}

/** Each part of the path below the project is looked at, the last one, too. */
function pathInProject(path: string, project: string): string {
  const root = realpathSync(project)
  const names = relative(project, path).split(sep)
  let at = root
  for (const [index, name] of names.entries()) {
    const next = join(at, name)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (found === undefined) return join(at, ...names.slice(index))
    at = found.isSymbolicLink() ? behindLink(next) : next
    if (at !== root && !at.startsWith(root + sep)) {
      throw refused(`${next} is a link out of the project, to ${at}.`)
    }
    if (index < names.length - 1 && !statSync(at).isDirectory()) {
      throw refused(`${next} is not a folder.`)
    }
  }
  refuseOther(at)
  return at
}

function behindLink(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw refused(`${path} is a link to a file that is not there.`)
  }
}

/** A pipe would keep the command waiting, and a folder cannot be replaced. */
function refuseOther(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  const what = found.isSymbolicLink() ? 'a link' : 'no file'
  throw refused(`${path} is ${what}: ${basename(path)} has to be a file.`)
}

function refused(message: string): CommandFault {
  return new CommandFault(message, {
    remedy: 'Nothing was changed. Remove it, or name another place with --scope.',
  })
}

/** Trouble of the file system as words. */
function guarded<T>(path: string, verb: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) throw cause
    throw new CommandFault(`${path} cannot be ${verb} (${cause.code}).`, {
      remedy: 'Nothing was changed.',
    })
  }
}
