/**
 * How arguments are encoded inside a body, by the skill's own content-type header, so that none can
 * break out of its place. Judges templates once, at sync; core/request/draft-body.ts encodes by it.
 */
import type { BodyTemplate, Template } from './template.ts'

/** `text`: unchanged, for formats that the gateway does not know. */
export type BodyEncoding = 'json' | 'form' | 'xml' | 'text'

/** Undefined when the skill has no such header; the form of the body then decides. */
export function bodyEncodingOf(contentType: Template | undefined): BodyEncoding | undefined {
  const mediaType = mediaTypeOf(contentType)
  if (mediaType === undefined) return undefined
  if (mediaType === 'application/x-www-form-urlencoded') return 'form'
  if (mediaType === 'application/json' || mediaType === 'text/json') return 'json'
  if (mediaType.endsWith('+json')) return 'json'
  const isXml = /^(?:text\/(?:xml|html)|application\/xml|.*\+xml)$/.test(mediaType)
  return isXml ? 'xml' : 'text'
}

/** The fault of a body with that content type; undefined when arguments stay in their places. */
export function bodyFault(
  body: BodyTemplate,
  contentType: Template | undefined,
): string | undefined {
  const encoding = bodyEncodingOf(contentType)
  if (body.kind !== 'text') return structureFault(body, encoding)
  if (mediaTypeOf(contentType)?.startsWith('multipart/') === true) {
    return 'has placeholders in a multipart text, where an argument could end its part; use a form or JSON'
  }
  if (encoding === 'form') return formFault(body.template)
  return encoding === 'json' ? jsonFault(body.template) : undefined
}

const IN_NAME =
  'has a placeholder in a name, so an argument could take any name; put it into the value'

/** A lone place is a body by itself, whose members are written as pairs. */
function formFault(template: Template): string | undefined {
  if (template.length === 1) return undefined
  const marked = markedText(template, MARK)
  return marked.split('&').some((pair) => pair.split('=', 1)[0]?.includes(MARK))
    ? IN_NAME
    : undefined
}

/** Stands for a placeholder: no name of a pair or a member has it. */
const MARK = '\u0001'

function markedText(template: Template, mark: string): string {
  return template.map((piece) => (piece.kind === 'text' ? piece.text : mark)).join('')
}

function structureFault(
  body: BodyTemplate,
  encoding: BodyEncoding | undefined,
): string | undefined {
  const isText = body.kind === 'fixed' && typeof body.value === 'string'
  if (isText || encoding === undefined || encoding === 'json') return undefined
  if (encoding !== 'form')
    return 'is JSON, and the content-type header says otherwise; make them fit'
  const isObject = body.kind === 'object' || (body.kind === 'fixed' && isRecord(body.value))
  return isObject ? undefined : 'must be an object or a text to be sent as a form'
}

/** A place brings its own quotes; inside quotes an argument could end the string. */
function jsonFault(template: Template): string | undefined {
  const filled = markedText(template, `"${MARK_IN_JSON}"`)
  try {
    return isMarkedName(JSON.parse(filled)) ? IN_NAME : undefined
  } catch {
    // The parser's reason is omitted: it quotes the filled text, which the author never wrote.
    return 'is not JSON once its placeholders are filled; write placeholders without quotes around them, or the body as JSON'
  }
}

const MARK_IN_JSON = '\\u0001'

function isMarkedName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => name === MARK || isMarkedName(inner))
}

function mediaTypeOf(contentType: Template | undefined): string | undefined {
  if (contentType === undefined) return undefined
  const text = contentType.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  return text.split(';')[0]?.trim().toLowerCase()
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
