/**
 * Finds cited tests that do not exist. Pages cite a file in backquotes, a colon, and the title in
 * “”.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, lineAt, type Text } from './text.ts'

export type CitedTest = { readonly file: string; readonly title: string; readonly offset: number }

export function citedTests(prose: string): readonly CitedTest[] {
  return [...prose.matchAll(/`(test\/[^`]+)`:\s+“([^”]+)”/g)].map((match) => ({
    file: match[1] ?? '',
    title: (match[2] ?? '').replaceAll(/\s+/g, ' '),
    offset: match.index,
  }))
}

/**
 * Returns all titles in a test file. A title is a string followed by a function; for `test.each` it
 * is the pattern.
 */
export function titlesIn(source: string): readonly string[] {
  const titled = /(?:'([^'\n]+)'|"([^"\n]+)"|`([^`]+)`),\s*(?:async\s*)?\(/g
  return [...source.matchAll(titled)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}

export function missingTests(root: string, { path, prose }: Text): readonly Fault[] {
  return citedTests(prose)
    .filter(({ file, title }) => {
      const source = join(root, file)
      return !existsSync(source) || !titlesIn(readFileSync(source, 'utf8')).includes(title)
    })
    .map(({ file, offset, title }) => ({
      path,
      line: lineAt(prose, offset),
      problem: `${file} has no test “${title}”`,
    }))
}
