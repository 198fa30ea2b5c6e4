/**
 * Finds cited tests that do not exist. Pages cite a file in backquotes, a colon, and the title in
 * “”.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CitationError, findLine, type Text } from './text.ts'
import { findTitles } from './titles.ts'

export type CitedTest = { readonly file: string; readonly title: string; readonly offset: number }

export function listCitedTests(prose: string): readonly CitedTest[] {
  return [...prose.matchAll(/`(test\/[^`]+)`:\s+“([^”]+)”/g)].map((match) => ({
    file: match[1] ?? '',
    title: (match[2] ?? '').replaceAll(/\s+/g, ' '),
    offset: match.index,
  }))
}

/** Returns what a page may cite of a test: its title, with or without a group before it. */
export function listTitles(source: string): readonly string[] {
  return findTitles(source).flatMap(({ groups, text }) => [
    text,
    ...groups.map((group) => `${group} ${text}`),
  ])
}

export function findMissingTests(root: string, { path, prose }: Text): readonly CitationError[] {
  return listCitedTests(prose)
    .filter(({ file, title }) => {
      const source = join(root, file)
      return !existsSync(source) || !listTitles(readFileSync(source, 'utf8')).includes(title)
    })
    .map(({ file, offset, title }) => ({
      path,
      line: findLine(prose, offset),
      problem: `${file} has no test “${title}”`,
    }))
}
