/**
 * Finds the words by which a person starts the command line on this machine, so that printed
 * commands work when typed: `skillgate` where it is installed, else `npx skillgate`. A package that
 * npx fetched by another name, such as a file or a version, is named as npx was told.
 */
import { readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseJson } from '../../core/json/parse-json.ts'

export const PROGRAM = 'skillgate'

export type ProgramPlace = {
  /** The folder of the running program. */
  readonly folder: string
  readonly path: string | undefined
  readonly platform: NodeJS.Platform
}

export function findProgramName(place: ProgramPlace): string {
  const fetched = readNpxPackage(place)
  if (fetched !== undefined) return `npx ${fetched}`
  return isOnPath(PROGRAM, place) ? PROGRAM : `npx ${PROGRAM}`
}

/**
 * Tells whether the shell finds a program of this name. Folders of packages are left out: npm adds
 * them to the path of the programs that it starts, and the person's shell does not have them.
 */
export function isOnPath(
  name: string,
  { path = '', platform }: Pick<ProgramPlace, 'path' | 'platform'>,
): boolean {
  const endings = platform === 'win32' ? ['.cmd', '.exe', '.ps1'] : ['']
  const folders = path.split(delimiter).filter((one) => one !== '' && !PACKAGE_FOLDER.test(one))
  return folders.some((folder) => endings.some((ending) => isFile(join(folder, name + ending))))
}

const PACKAGE_FOLDER = /[\\/]node_modules[\\/](\.bin|.*node-gyp-bin)[\\/]?$/

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** npx installs into `_npx/HASH/node_modules`, beside a package.json that has what was asked for. */
const NPX_FOLDER = /[\\/]_npx[\\/][^\\/]+[\\/]node_modules[\\/]/

/** Returns what npx was told to fetch, as a word for a shell; undefined if npx fetched nothing. */
function readNpxPackage({ folder }: ProgramPlace): string | undefined {
  const found = NPX_FOLDER.exec(`${folder}/`)
  if (found === null) return undefined
  const root = dirname(folder.slice(0, found.index + found[0].length - 1))
  const manifest = readManifest(join(root, 'package.json'))
  const file = FILE_SPEC.exec(manifest.dependency ?? '')?.[1]
  // npx would start an absolute path without `file:` as a program.
  if (file !== undefined) return quoteWord(`file:${resolve(root, file)}`)
  return quoteWord(manifest.asked ?? PROGRAM)
}

const FILE_SPEC = /^file:(.+)$/

function readManifest(file: string): {
  readonly asked: string | undefined
  readonly dependency: string | undefined
} {
  try {
    const json = parseJson(readFileSync(file, 'utf8'))
    const manifest: unknown = json.ok ? json.value : undefined
    return {
      asked: readText(readMember(readMember(readMember(manifest, '_npx'), 'packages'), '0')),
      dependency: readText(readMember(readMember(manifest, 'dependencies'), PROGRAM)),
    }
  } catch {
    // Another npm keeps no such file; then the usual name is right.
    return { asked: undefined, dependency: undefined }
  }
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Quotes a word that a shell would change. */
function quoteWord(word: string): string {
  return /^[\w@./:+\\~^-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
