/**
 * Reads folders of guides: each has a SKILL.md, and its name is the id of the guide. Files and
 * folders whose names begin with a dot are left out. The gateway judges the rest.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { GUIDE_MAIN_FILE } from '../../core/guides/guide.ts'
import { GUIDE_BYTES_MAX, GUIDE_FILES_MAX } from '../../core/guides/limits.ts'
import type { SentGuideFile } from '../../core/guides/read-guide.ts'
import type { Invocation } from '../command/command.ts'
import { toUsageFault } from '../terminal/exit-code.ts'

/** The folder of guides in a folder of skills. */
export const GUIDES_FOLDER = 'guides'

export type GuideFolder = { readonly guideId: string; readonly files: readonly SentGuideFile[] }

/** Reads the folders that a command names. Throws a usage fault for one that is no guide. */
export function readGuideFolders({ shell, words }: Invocation): readonly GuideFolder[] {
  return (words['FOLDER'] ?? []).map((path) => readGuideFolder(resolve(shell.cwd, path)))
}

/** Reads the guides beside the skills of a set: each folder below `guides/`. */
export function readGuidesOfSet({ shell, words }: Invocation): readonly GuideFolder[] {
  return (words['PATH'] ?? []).flatMap((path) => {
    const folder = resolve(shell.cwd, path, GUIDES_FOLDER)
    if (path === '-' || !isFolder(folder)) return []
    return readdirSync(folder, { withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => readGuideFolder(join(folder, name)))
      .sort((a, b) => (a.guideId < b.guideId ? -1 : 1))
  })
}

function readGuideFolder(folder: string): GuideFolder {
  if (!isFolder(folder) || statSync(join(folder, GUIDE_MAIN_FILE), QUIET) === undefined) {
    throw toUsageFault(
      `${folder} has no ${GUIDE_MAIN_FILE}.`,
      'Name a folder with a SKILL.md that begins with name and description.',
    )
  }
  const paths = listFiles(folder)
  const sizes = paths.map((path) => statSync(path).size)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (paths.length > GUIDE_FILES_MAX || total > GUIDE_BYTES_MAX) {
    throw toUsageFault(
      `${folder} has ${paths.length} files with ${total} bytes.`,
      `A guide has ${GUIDE_FILES_MAX} files and ${GUIDE_BYTES_MAX} bytes at most.`,
    )
  }
  return { guideId: basename(folder), files: paths.map((path) => readFile(folder, path)) }
}

const QUIET = { throwIfNoEntry: false } as const

/** Links are not followed: a guide has only what lies in its folder. */
function listFiles(folder: string): readonly string[] {
  const found: string[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'utf8' })) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) found.push(...listFiles(path))
    else if (entry.isFile()) found.push(path)
    if (found.length > GUIDE_FILES_MAX) break
  }
  return found.sort()
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file that is no UTF-8, or has a NUL, is sent as its bytes. */
function readFile(folder: string, path: string): SentGuideFile {
  const bytes = readFileSync(path)
  const name = relative(folder, path).split(sep).join('/')
  const text = bytes.includes(0) ? undefined : decode(bytes)
  return text === undefined
    ? { path: name, base64: bytes.toString('base64') }
    : { path: name, text }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    // A fatal decoder has one error, so the cause adds nothing.
    return undefined
  }
}

function isFolder(path: string): boolean {
  return statSync(path, QUIET)?.isDirectory() === true
}
