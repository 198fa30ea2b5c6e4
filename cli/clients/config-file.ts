/**
 * Reads and replaces the configuration file of a client. A project is often a clone from somebody
 * else, so a link in a project that leads out of the project is refused, for reading and for
 * writing. A person's own file may be a link, as in a collection of dotfiles; then the link's
 * target is replaced.
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
import { writeWholeFile } from '../../adapters/profiles/whole-file.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { decodeText } from '../terminal/read-text.ts'

export type ConfigPath = {
  /** The path as the client documents it, before links are resolved. */
  readonly path: string
  /**
   * The project folder: no link in it may lead out of it. Undefined for files in the person's home.
   */
  readonly project: string | undefined
}

const OTHERS_BITS = 0o077
const MODE_BITS = 0o777
const OWNER_ONLY = 0o600

/**
 * Returns the file's text, or undefined if there is no file. Throws a CommandFault if the path is a
 * link out of its project, or is a folder, pipe or the like.
 */
export function readConfigText(at: ConfigPath): string | undefined {
  const real = resolvePath(at)
  if (lstatSync(real, { throwIfNoEntry: false }) === undefined) return undefined
  const { O_NOFOLLOW, O_RDONLY } = constants
  const file = withFileErrors(at.path, 'read', () => openSync(real, O_RDONLY | (O_NOFOLLOW ?? 0)))
  try {
    return decodeText(readFileSync(file), at.path)
  } finally {
    closeSync(file)
  }
}

/**
 * Tells whether something is at `path`; a link to a missing file is something. If the path cannot
 * be examined the result is false, and the later read refuses with the reason.
 */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

export type Replacement = {
  readonly text: string
  /** The text of the backup beside the file; undefined for no backup. */
  readonly backup: string | undefined
  /** If true, the new file is readable by its owner alone. */
  readonly holdsKey: boolean
}

export type Replaced = {
  /** The path with its links resolved. */
  readonly real: string
  readonly backup: string | undefined
  /** True if others could read the file before and no longer can. */
  readonly isTightened: boolean
}

/**
 * Replaces the file atomically. The file keeps its mode, unless it holds a key. The backup is
 * readable by its owner alone. Throws a CommandFault if the write fails.
 */
export function replaceFile(at: ConfigPath, { backup, holdsKey, text }: Replacement): Replaced {
  const real = resolvePath(at)
  return withFileErrors(at.path, 'written', () => {
    mkdirSync(dirname(real), { recursive: true })
    const before = statSync(real, { throwIfNoEntry: false })
    const mode = before === undefined ? OWNER_ONLY : before.mode & MODE_BITS
    const check = () => {
      if (resolvePath(at) !== real) throw toRefusal(`${at.path} was moved while it was changed.`)
    }
    const copy = before === undefined || backup === undefined ? undefined : toBackupPath(real)
    if (copy !== undefined && backup !== undefined) {
      assertRegularFile(copy)
      writeWholeFile(copy, backup, { check })
    }
    writeWholeFile(real, text, { mode: holdsKey ? mode & ~OTHERS_BITS : mode, check })
    return { real, backup: copy, isTightened: holdsKey && (mode & OTHERS_BITS) !== 0 }
  })
}

/** Makes the file readable by its owner alone. Returns true if others could read it before. */
export function closeToOthers(at: ConfigPath): boolean {
  const real = resolvePath(at)
  return withFileErrors(at.path, 'closed to others', () => {
    const mode = statSync(real).mode & MODE_BITS
    if ((mode & OTHERS_BITS) === 0) return false
    chmodSync(real, mode & ~OTHERS_BITS)
    return true
  })
}

/** Returns the path of the backup, which keeps the text from before a change. */
export function getBackup(at: ConfigPath): ConfigPath {
  return { path: toBackupPath(resolvePath(at)), project: at.project }
}

export function removeFile(at: ConfigPath): void {
  rmSync(resolvePath(at), { force: true })
}

/** Tells whether the path is inside a git repository, where a file is easily published. */
export function isInRepository(path: string): boolean {
  const folder = dirname(path)
  if (folder === path) return false
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined
    ? true
    : isInRepository(folder)
}

function toBackupPath(real: string): string {
  return `${real}.skillgate-backup`
}

/** Returns the path with its links resolved; the file itself may be missing. */
function resolvePath({ path, project }: ConfigPath): string {
  return withFileErrors(path, 'read', () =>
    project === undefined ? resolveOwnPath(path) : resolvePathInProject(path, project),
  )
}

function resolveOwnPath(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const real = found?.isSymbolicLink() === true ? followLink(path) : path
  assertRegularFile(real)
  return real
}

/**
 * Resolves each part of the path below the project, and the last part too. Throws a CommandFault at
 * the first link that leads out of the project.
 */
function resolvePathInProject(path: string, project: string): string {
  const root = realpathSync(project)
  const names = relative(project, path).split(sep)
  let at = root
  for (const [index, name] of names.entries()) {
    const next = join(at, name)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (found === undefined) return join(at, ...names.slice(index))
    at = found.isSymbolicLink() ? followLink(next) : next
    if (at !== root && !at.startsWith(root + sep)) {
      throw toRefusal(`${next} is a link out of the project, to ${at}.`)
    }
    if (index < names.length - 1 && !statSync(at).isDirectory()) {
      throw toRefusal(`${next} is not a folder.`)
    }
  }
  assertRegularFile(at)
  return at
}

function followLink(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw toRefusal(`${path} is a link to a file that is not there.`)
  }
}

/**
 * Throws a CommandFault if the path is no regular file: a pipe would block the command, and a
 * folder cannot be replaced.
 */
function assertRegularFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  const what = found.isSymbolicLink() ? 'a link' : 'no file'
  throw toRefusal(`${path} is ${what}: ${basename(path)} has to be a file.`)
}

function toRefusal(message: string): CommandFault {
  return new CommandFault(message, {
    remedy: 'Nothing was changed. Remove it, or name another place with --scope.',
  })
}

/** Runs `work` and turns an error of the file system into a CommandFault. */
function withFileErrors<T>(path: string, verb: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) throw cause
    throw new CommandFault(`${path} cannot be ${verb} (${cause.code}).`, {
      remedy: 'Nothing was changed.',
    })
  }
}
