/** The files of skills that a command names: files, folders at any depth, or stdin. */
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Invocation } from '../command/command.ts'
import { usageFault } from '../terminal/exit-code.ts'
import { readText } from '../terminal/read-text.ts'

/** Skills in one folder; a mistyped `skills push /` must end. */
const FILES_MAX = 5_000
/** Files that stand beside skills. */
const NO_SKILL = /(^|[/\\])readme\.md$|\.schema\.json$/i

/** In the order of their names. */
export function filesOf({ shell, words }: Invocation): readonly string[] {
  const files = (words['PATH'] ?? []).flatMap((path) => {
    if (path === '-' || !isFolder(resolve(shell.cwd, path))) return [path]
    return readdirSync(resolve(shell.cwd, path), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|md)$/i.test(name) && !NO_SKILL.test(name))
      .sort()
      .map((name) => join(path, name))
  })
  if (files.length === 0)
    throw usageFault('There is no skill in it.', 'Skills are files that end in .json or .md.')
  if (files.length <= FILES_MAX) return files
  throw usageFault(`${files.length} files are over ${FILES_MAX}.`, 'Push a folder of skills only.')
}

export async function textOfFile({ shell }: Invocation, file: string): Promise<string> {
  return file === '-' ? shell.input.readAll() : readText(resolve(shell.cwd, file))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
