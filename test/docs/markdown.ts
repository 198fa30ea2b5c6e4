/** Reads Markdown for the tests of the docs: sections, tables, code, links. No renderer. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listHeadings, toAnchor } from '../../scripts/citations/headings.ts'

const REPO = join(import.meta.dirname, '../..')

/** Every page that people read; paths from the repository's root. */
export const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...globSync('docs/**/*.md', { cwd: REPO }).sort(),
]

/** `path` is from the repository's root. */
export function readText(path: string): string {
  return readFileSync(join(REPO, path), 'utf8')
}

/** A page with each line end and indent as one space: sentences are found wherever they are wrapped. */
export function readProse(path: string): string {
  return readText(path).replaceAll(/\s+/g, ' ')
}

export function isThere(path: string): boolean {
  return existsSync(join(REPO, path))
}

export function filesOf(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: REPO }).sort()
}

/** The text under a heading, down to the next one of its level or above. */
export function sectionOf(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 1
  const lines = withoutFences(text).split('\n')
  const from = lines.indexOf(heading)
  if (from === -1) throw new Error(`There is no heading ${heading}.`)
  const length = lines.slice(from + 1).findIndex((line) => headingLevel(line) <= level)
  const to = length === -1 ? lines.length : from + 1 + length
  return text
    .split('\n')
    .slice(from + 1, to)
    .join('\n')
}

/** Body rows of all tables in the text, cell by cell. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !isHead(lines, index))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

/** The text between backticks in a cell, or else the whole cell. */
export function codeOf(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? cell
}

export type Block = { readonly language: string; readonly text: string }

export function blocksOf(text: string): readonly Block[] {
  // A fence of four backquotes may hold fences of three.
  return [...text.matchAll(/^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm)].map(
    ([, , language = '', body = '']) => ({ language, text: body }),
  )
}

export type Link = { readonly path: string; readonly anchor: string | undefined }

/** Links to files of this repository; those that lead out of it are not followed. */
export function linksOf(text: string): readonly Link[] {
  return [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      return { path, anchor }
    })
}

/** Headings as GitHub makes anchors of them. */
export function anchorsOf(text: string): readonly string[] {
  return listHeadings(withoutFences(text)).map((heading) => toAnchor(heading.text))
}

/** As many lines as before, with those inside fences empty: a `#` in sh is no heading. */
function withoutFences(text: string): string {
  let inside = false
  return text
    .split('\n')
    .map((line) => {
      const fence = line.startsWith('```')
      if (fence) inside = !inside
      return fence || inside ? '' : line
    })
    .join('\n')
}

function headingLevel(line: string): number {
  return /^(#+) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY
}

/** The head of a table and the line of dashes under it. */
function isHead(lines: readonly string[], index: number): boolean {
  const isRule = (line: string | undefined) => /^\|[-|: ]+\|$/.test(line ?? '')
  return isRule(lines[index]) || isRule(lines[index + 1])
}
