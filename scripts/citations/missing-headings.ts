/**
 * Headings and links that lead nowhere: `docs/wire.md, Limits` and `docs/wire.md#limits` in any prose, and
 * the relative links of pages with their anchors. Links out of the repository are not followed.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchorOf, headingsOf } from './headings.ts'
import { blankFences, type Fault, lineAt, type Text } from './text.ts'

const PAGE = /[\w./-]*\b[A-Za-z][\w-]*\.md/.source
/** A small letter after the comma is the sentence going on; a capital is a heading. */
const NAMED_HEADING = new RegExp(`(?<![\\w./:(-])(${PAGE}),\\s+(?=[A-Z])`, 'g')
const NAMED_ANCHOR = new RegExp(`(?<![\\w./:(-])(${PAGE})#([\\w-]+)`, 'g')
const LINK = /\]\(([^)\s]+)\)/g

export function missingHeadings(root: string, text: Text): readonly Fault[] {
  const { path, prose } = text
  const fault = (offset: number, what: string) => ({ path, line: lineAt(prose, offset), what })
  return [
    ...[...prose.matchAll(NAMED_HEADING)].flatMap((match) => {
      const [whole, page = ''] = match
      const rest = prose.slice(match.index + whole.length).replaceAll(/\s+/g, ' ')
      if (isHeadingOf(root, text, page, rest)) return []
      return [fault(match.index, `${page} has no heading “${rest.slice(0, HEADING_SHOWN)}…”`)]
    }),
    ...[...prose.matchAll(NAMED_ANCHOR)].flatMap((match) => {
      const [, page = '', anchor = ''] = match
      const anchors = pageOf(root, text, page)?.map(anchorOf)
      return anchors?.includes(anchor) ? [] : [fault(match.index, `there is no ${page}#${anchor}`)]
    }),
    ...(path.endsWith('.md') ? brokenLinks(root, text, fault) : []),
  ]
}

const HEADING_SHOWN = 40

/** `rest` is what follows the page's name, and begins with the heading. */
function isHeadingOf(root: string, text: Text, page: string, rest: string): boolean {
  const headings = pageOf(root, text, page) ?? []
  return headings.some(
    (heading) => rest.startsWith(heading) && !/^[\w-]/.test(rest.slice(heading.length)),
  )
}

function brokenLinks(
  root: string,
  { path, prose }: Text,
  fault: (offset: number, what: string) => Fault,
): readonly Fault[] {
  return [...prose.matchAll(LINK)].flatMap((match) => {
    const [, target = ''] = match
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const linked = file === '' ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(root, linked))) return [fault(match.index, `there is no ${linked}`)]
    if (anchor === undefined || isAnchorOf(join(root, linked), anchor)) return []
    return [fault(match.index, `there is no ${linked}#${anchor}`)]
  })
}

function isAnchorOf(file: string, anchor: string): boolean {
  if (statSync(file).isDirectory()) return false
  return headingTexts(file).map(anchorOf).includes(anchor)
}

/** The headings of a page that is named from the root, from `docs/`, or from the folder of who names it. */
function pageOf(root: string, { path }: Text, page: string): readonly string[] | undefined {
  const places = ['', 'docs', dirname(path)].map((folder) => join(root, folder, page))
  const file = places.find((place) => existsSync(place))
  return file === undefined ? undefined : headingTexts(file)
}

function headingTexts(file: string): readonly string[] {
  return headingsOf(blankFences(readFileSync(file, 'utf8'))).map(({ text }) => text)
}
