/** Finds the files of skills that a command names: files, folders at any depth, or stdin. */
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Invocation } from '../command/command.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readText } from '../terminal/read-text.ts'

/** Most skills of one command, so that a mistyped `skills push /` ends. */
const FILES_MAX = 5_000
/**
 * Files that may be in a folder of skills and are none (docs/skills.md, Files in a folder): saved
 * calls, schemas, guides, files of packages, and what begins with a dot.
 */
const NOT_A_SKILL =
  /\.(?:call|schema)\.json$|(?:^|[/\\])(?:\..*|(?:guides|node_modules)[/\\].*|(?:readme|changelog|contributing)\.md|(?:package|package-lock|tsconfig|skillgate\.config)\.json)$/i

/**
 * Returns the paths in the order of their names. Throws a usage fault if there are none or too
 * many.
 */
export function listSkillFiles({ shell, words }: Invocation): readonly string[] {
  const files = (words['PATH'] ?? []).flatMap((path) => {
    if (path === '-' || !isFolder(resolve(shell.cwd, path))) return [path]
    return readdirSync(resolve(shell.cwd, path), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|md)$/i.test(name) && !NOT_A_SKILL.test(name))
      .sort()
      .map((name) => join(path, name))
  })
  if (files.length === 0)
    throw toUsageFault('There is no skill in it.', 'Skills are files that end in .json or .md.')
  if (files.length <= FILES_MAX) return files
  throw toUsageFault(
    `${files.length} files are over ${FILES_MAX}.`,
    'Push a folder of skills only.',
  )
}

export async function readSkillFile({ shell }: Invocation, file: string): Promise<string> {
  return file === '-' ? shell.input.readAll() : readText(resolve(shell.cwd, file))
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
