/**
 * Descriptions with HTML, as Markdown for a model: many documents are written for pages. A tag is
 * one of HTML's own; `<id>` in a sentence is a word. Reads the text once. A parser of HTML would do
 * more, but takes seconds for a few kB of nested tags (ADR 0140).
 */

/** UTF-16 units that are read: four times what a description keeps. */
export const HTML_UNITS_MAX = 4_000

const NAMES =
  'a|abbr|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figure|font|h[1-6]|hr|i|img|ins|kbd|li|' +
  'ol|p|pre|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var'
const TAG = `<(/?)(${NAMES})(?=[\\s/>])([^<>]*)>`
const ONE_TAG = new RegExp(TAG, 'i')
const ALL_TAGS = new RegExp(TAG, 'gi')

export function hasHtml(text: string): boolean {
  return ONE_TAG.test(text.slice(0, HTML_UNITS_MAX))
}

/** Returns a text without HTML as it is. */
export function readHtml(text: string): string {
  if (!hasHtml(text)) return text
  const html = text.slice(0, HTML_UNITS_MAX)
  const isPage = BLOCK.test(html)
  const parts: string[] = []
  let end = 0
  for (const found of html.matchAll(ALL_TAGS)) {
    const [tag, slash = '', name = '', attributes = ''] = found
    parts.push(readWords(html.slice(end, found.index), isPage))
    parts.push(writeTag(name.toLowerCase(), slash === '', attributes))
    end = found.index + tag.length
  }
  parts.push(readWords(html.slice(end), isPage))
  return parts
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Between blocks, line breaks of the source mean nothing. Elsewhere they may be Markdown's. */
const BLOCK = /<(?:p|div|ul|ol|table|h[1-6]|dl)[\s>]/i

function readWords(words: string, isPage: boolean): string {
  const text = isPage ? words.replace(/\s+/g, ' ') : words
  return text.replace(/&(#?[A-Za-z0-9]{1,8});/g, (whole, name: string) => readEntity(name) ?? whole)
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    mdash: '—',
    hellip: '…',
  }),
)

function readEntity(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:[xX]([0-9a-fA-F]+)|([0-9]+))$/.exec(name) ?? []
  if (hex === undefined && decimal === undefined) return ENTITIES.get(name)
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return point > 0 && point <= CODE_POINT_MAX ? String.fromCodePoint(point) : undefined
}

const CODE_POINT_MAX = 0x10ffff

/** Marks that stand in the place of a tag, before and after its text. */
const MARKS: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ...list('b strong', '**', '**'),
  ...list('code kbd samp tt', '`', '`'),
  ...list('br', '\n', ''),
  ...list('hr', '\n\n', ''),
  ...list('p blockquote pre table details figure dl', '\n\n', '\n\n'),
  ...list('h1 h2 h3 h4 h5 h6', '\n\n**', '**\n\n'),
  ...list('div ul ol tr dt dd summary', '\n', '\n'),
  ...list('li', '\n- ', ''),
  ...list('td th', ' ', ' '),
])

function list(names: string, before: string, after: string) {
  return names.split(' ').map((name) => [name, [before, after]] as const)
}

/** An image has its alternative text; a link its text alone, since a model follows none. */
function writeTag(name: string, isStart: boolean, attributes: string): string {
  if (name === 'img') return /\balt\s*=\s*["']([^"']*)/i.exec(attributes)?.[1] ?? ''
  const marks = MARKS.get(name)
  return (isStart ? marks?.[0] : marks?.[1]) ?? ''
}
