/**
 * Reads the parts of a Markdown skill with a CommonMark parser: one first-level heading, one fenced
 * YAML block and one fenced JSON block, in any order, with prose between. It never throws. Blocks
 * inside lists and quotes are not read, and prose is not parsed for emphasis or links, which would
 * take the parser minutes for some texts (docs/design/skills.md#markdown-and-yaml). Bound by docs/service.md, Skill formats.
 */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { type FieldError, ok, type Refusal, type Result } from '../../core/errors.ts'
import { findChangedNumbers } from '../../core/json/changed-numbers.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { countBytes } from '../../core/json/text-bytes.ts'
import { type MarkdownParts, refuseMarkdown } from '../../core/skills/definition/markdown-skill.ts'
import { CHANGED_NUMBER } from '../../core/skills/definition/number-faults.ts'
import {
  DESCRIPTION_CHARS_MAX,
  MARKDOWN_BYTES_MAX,
  MARKDOWN_LINES_MAX,
} from '../../core/skills/limits.ts'
import { readYaml } from './yaml-block.ts'

export function readMarkdown(sent: string): Result<MarkdownParts> {
  if (countBytes(sent) > MARKDOWN_BYTES_MAX) {
    return refuseAt(
      1,
      `the text has over ${MARKDOWN_BYTES_MAX} bytes; shorten it, or send unified JSON`,
    )
  }
  const text = sent.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  if (countLines(text) > MARKDOWN_LINES_MAX) return refuseAt(MARKDOWN_LINES_MAX + 1, TOO_MANY_LINES)
  if (FRONT_MATTER.test(text)) return refuseAt(1, FRONT_MATTER_MESSAGE)
  const found = findParts(text)
  const faults = PARTS.flatMap((part) => checkCount(part, found[part.key], text))
  if (faults.length > 0) return isOneLine(text) ? refuseAt(1, ONE_LINE) : refuseMarkdown(faults)
  const [heading, yaml, json] = [found.heading[0], found.yaml[0], found.json[0]]
  if (heading === undefined || yaml === undefined || json === undefined) return refuseMarkdown([])
  const mapping = readYaml(yaml.source, yaml.line + 1)
  if (!mapping.ok) return mapping
  // Empty lines give an error the line of the whole text.
  const atItsLine = '\n'.repeat(json.line) + json.source
  const parameters = parseJson(atItsLine, { subject: `line ${json.line}: the JSON block` })
  if (!parameters.ok) return refuseMarkdown(toJsonErrors(parameters.error, json))
  const changed = findChangedNumbers(json.source, [])
  if (changed.length > 0) return refuseMarkdown(changed.map((one) => toNumberError(one, json)))
  const paragraph = found.paragraphs.find(({ line }) => line > heading.line)
  return ok({
    name: toPlainText(heading.source).replace(/\s+/g, ' ').trim(),
    paragraph: paragraph && toPlainText(paragraph.source).trim(),
    yaml: mapping.value,
    json: parameters.value,
    lines: { heading: heading.line, yaml: yaml.line, json: json.line },
  })
}

const TOO_MANY_LINES = `the text has over ${MARKDOWN_LINES_MAX} lines; leave some out, or send unified JSON`
const FRONT_MATTER = /^\s*---[ \t]*\n\s*[\w"'-]+[ \t]*:/
const FRONT_MATTER_MESSAGE =
  'front matter between --- lines is not read; move its fields into the block that a line ```yaml begins'

/** The error of a file sent with `curl -d @file`, which drops line ends. */
const ONE_LINE =
  'the whole text is on this line, so that no block begins one; send it with its line ends ' +
  '(curl: with --data-binary, not -d)'

function isOneLine(text: string): boolean {
  return !text.trim().includes('\n') && /```|~~~/.test(text)
}

type Block = { readonly source: string; readonly line: number }
type MarkdownBlocks = {
  readonly heading: Block[]
  readonly yaml: Block[]
  readonly json: Block[]
  readonly paragraphs: Block[]
}

const PARTS = [
  { key: 'heading', name: 'first-level heading', remedy: 'the name of the skill: # Weather' },
  {
    key: 'yaml',
    name: 'YAML block',
    remedy: 'the implementation: a line ```yaml, then endpoint: …',
  },
  {
    key: 'json',
    name: 'JSON block',
    remedy: 'the parameters: a line ```json, then {"type":"object",…}',
  },
] as const

/**
 * Constructs whose cost grows with the square of the text, or that hide the position of a block.
 */
const SLOW_CONSTRUCTS = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'definition',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
]
const CONTAINERS = ['blockQuote', 'list']

function findParts(text: string): MarkdownBlocks {
  const found: MarkdownBlocks = { heading: [], yaml: [], json: [], paragraphs: [] }
  for (const node of parseMarkdown(text, [...SLOW_CONSTRUCTS, ...CONTAINERS]).children) {
    const line = node.position?.start.line ?? 1
    if (node.type === 'code') findBlocks(found, node.lang)?.push({ source: node.value, line })
    if (node.type === 'paragraph') found.paragraphs.push({ source: readSource(text, node), line })
    if (node.type === 'heading' && node.depth === 1) {
      found.heading.push({ source: readSource(text, node), line })
    }
  }
  return found
}

function parseMarkdown(text: string, off: readonly string[]) {
  return fromMarkdown(text, { extensions: [{ disable: { null: [...off] } }] })
}

/**
 * The first word of the info string is the language; a block without it, or in another, is prose.
 */
function findBlocks(found: MarkdownBlocks, lang: string | null | undefined): Block[] | undefined {
  switch (lang?.toLowerCase()) {
    case 'yaml':
    case 'yml':
      return found.yaml
    case 'json':
      return found.json
    default:
      return undefined
  }
}

/** The text in a heading or a paragraph, without the marks of the heading. */
function readSource(
  text: string,
  node: ReturnType<typeof parseMarkdown>['children'][number],
): string {
  const inside = 'children' in node ? node.children : []
  return text.slice(
    inside.at(0)?.position?.start.offset ?? 0,
    inside.at(-1)?.position?.end.offset ?? 0,
  )
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}

function checkCount(
  part: (typeof PARTS)[number],
  blocks: readonly Block[],
  text: string,
): readonly FieldError[] {
  const [first, second] = blocks
  if (first === undefined) {
    const end = countLines(text)
    const margin = part.key === 'heading' ? '' : '; lists and quotes are not searched'
    return [makeError(end, `the text ends without a ${part.name}; add ${part.remedy}${margin}`)]
  }
  if (second === undefined) return []
  return [
    makeError(second.line, `a second ${part.name}; the first is on line ${first.line}, keep one`),
  ]
}

/** Characters of prose that is parsed: longer prose is too long for a description anyway. */
const PROSE_CHARS_MAX = DESCRIPTION_CHARS_MAX + 256

/**
 * Characters that may begin or end emphasis, links and images. The parser compares each with those
 * before it: 3,000 take 200 ms, 500 take 6 ms. Prose with more of them is kept as it is written.
 */
export const MARKS_MAX = 500
const MARKS = /[*_[\]!]/g

/** Prose as a reader sees it: `**Weather** & more` becomes `Weather & more`. */
function toPlainText(source: string): string {
  if (source.length > PROSE_CHARS_MAX || (source.match(MARKS)?.length ?? 0) > MARKS_MAX)
    return source
  return parseMarkdown(source, CONTAINERS).children.map(readNodeText).join('\n')
}

function readNodeText(node: object): string {
  if ('type' in node && node.type === 'html') return ''
  if ('type' in node && node.type === 'break') return '\n'
  if ('value' in node && typeof node.value === 'string') return node.value.replaceAll('\n', ' ')
  if ('alt' in node && typeof node.alt === 'string') return node.alt
  if (!('children' in node) || !Array.isArray(node.children)) return ''
  return node.children.map(readNodeText).join('')
}

/**
 * Turns pointers into the block into pointers into the skill. A character's number is kept only for
 * a single line.
 */
function toJsonErrors({ detail, faults }: Refusal, { line }: Block): readonly FieldError[] {
  if (faults === undefined) return [{ pointer: '/meta/parameters', message: detail }]
  return faults.map(({ message, pointer }) => ({
    pointer: `/meta/parameters${pointer}`,
    message: `line ${line}: ${message}`,
  }))
}

function toNumberError({ pointer }: FieldError, { line }: Block): FieldError {
  const message = `line ${line}: ${pointer} ${CHANGED_NUMBER}`
  return { pointer: `/meta/parameters${pointer}`, message }
}

function makeError(line: number, message: string): FieldError {
  return { pointer: '', message: `line ${line}: ${message}` }
}

function refuseAt(line: number, message: string) {
  return refuseMarkdown([makeError(line, message)])
}
