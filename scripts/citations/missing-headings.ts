/**
 * Finds cited headings and links that do not exist: `docs/wire.md, Limits and Messages` and
 * `docs/wire.md#limits` in any prose, and the relative links of pages with their anchors. Links out
 * of the repository are not followed.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { listHeadings, toAnchor } from './headings.ts'
import { blankFences, type CitationError, findLine, type Text } from './text.ts'

const PAGE = /[\w./-]*\b[A-Za-z][\w-]*\.md/.source
/**
 * Matches a cited heading: a capital after the comma begins a heading, a small letter continues the
 * sentence.
 */
const NAMED_HEADING = new RegExp(`(?<![\\w./:(-])(${PAGE}),\\s+(?=[A-Z])`, 'g')
const NAMED_ANCHOR = new RegExp(`(?<![\\w./:(-])(${PAGE})#([\\w-]+)`, 'g')
const LINK = /\]\(([^)\s]+)\)/g

export function findMissingHeadings(root: string, text: Text): readonly CitationError[] {
  const { path, prose } = text
  const toFinding = (offset: number, problem: string) => ({
    path,
    line: findLine(prose, offset),
    problem,
  })
  return [
    ...[...prose.matchAll(NAMED_HEADING)].flatMap((match) => {
      const [whole, page = ''] = match
      const rest = prose.slice(match.index + whole.length).replaceAll(/\s+/g, ' ')
      const unknown = findUnknownHeading(readHeadings(root, text, page) ?? [], rest)
      if (unknown === undefined) return []
      return [
        toFinding(
          match.index,
          `${page} has no heading “${unknown.slice(0, HEADING_CHARS_SHOWN)}…”`,
        ),
      ]
    }),
    ...[...prose.matchAll(NAMED_ANCHOR)].flatMap((match) => {
      const [, page = '', anchor = ''] = match
      const anchors = readHeadings(root, text, page)?.map(toAnchor)
      return anchors?.includes(anchor)
        ? []
        : [toFinding(match.index, `there is no ${page}#${anchor}`)]
    }),
    ...(path.endsWith('.md') ? findBrokenLinks(root, text, toFinding) : []),
  ]
}

const HEADING_CHARS_SHOWN = 40

/**
 * Matches the text between two headings of the same page; a source of another kind does not match.
 */
const AND_ANOTHER = /^(?:,| and|, and) (?=[A-Z])(?!MCP\b|RFC\b|ADR\b|AWS\b|JSON-RPC\b|WHATWG\b)/

/**
 * Returns the first unknown heading. `rest` is the text after the page's name, and begins with
 * headings.
 */
function findUnknownHeading(headings: readonly string[], rest: string): string | undefined {
  const known = headings
    .filter((heading) => rest.startsWith(heading) && !/^[\w-]/.test(rest.slice(heading.length)))
    .sort((one, other) => other.length - one.length)[0]
  if (known === undefined) return rest
  const after = rest.slice(known.length)
  const separator = AND_ANOTHER.exec(after)?.[0]
  return separator === undefined
    ? undefined
    : findUnknownHeading(headings, after.slice(separator.length))
}

function findBrokenLinks(
  root: string,
  { path, prose }: Text,
  toFinding: (offset: number, problem: string) => CitationError,
): readonly CitationError[] {
  return [...prose.matchAll(LINK)].flatMap((match) => {
    const [, target = ''] = match
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const linked = file === '' ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(root, linked))) return [toFinding(match.index, `there is no ${linked}`)]
    if (anchor === undefined || hasAnchor(join(root, linked), anchor)) return []
    return [toFinding(match.index, `there is no ${linked}#${anchor}`)]
  })
}

function hasAnchor(file: string, anchor: string): boolean {
  if (statSync(file).isDirectory()) return false
  return listHeadingTexts(file).map(toAnchor).includes(anchor)
}

/**
 * Returns the headings of a page that is named from the root, from `docs/`, or from the citing
 * file's folder.
 */
function readHeadings(root: string, { path }: Text, page: string): readonly string[] | undefined {
  const places = ['', 'docs', dirname(path)].map((folder) => join(root, folder, page))
  const file = places.find((place) => existsSync(place))
  return file === undefined ? undefined : listHeadingTexts(file)
}

function listHeadingTexts(file: string): readonly string[] {
  return listHeadings(blankFences(readFileSync(file, 'utf8'))).map(({ text }) => text)
}
