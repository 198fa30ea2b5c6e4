/**
 * Decides how arguments are encoded inside a body, by the skill's own content-type header, so that
 * no argument can break out of its place. Templates are checked at sync; core/request/draft-body.ts
 * encodes the arguments.
 */
import { isJsonMediaType } from '../../json/json-media-type.ts'
import type { BodyTemplate, Template } from './template.ts'

/** `text`: unchanged, for formats that the gateway does not know. */
export type BodyEncoding = 'json' | 'form' | 'xml' | 'text'

/** Returns undefined without such a header; then the form of the body decides. */
export function findBodyEncoding(contentType: Template | undefined): BodyEncoding | undefined {
  const mediaType = readMediaType(contentType)
  if (mediaType === undefined) return undefined
  if (mediaType === 'application/x-www-form-urlencoded') return 'form'
  if (isJsonMediaType(mediaType)) return 'json'
  const isXml = /^(?:text\/(?:xml|html)|application\/xml|.*\+xml)$/.test(mediaType)
  return isXml ? 'xml' : 'text'
}

/**
 * Explains why a body does not fit its content type; undefined if arguments stay in their places.
 */
export function checkBodyEncoding(
  body: BodyTemplate,
  contentType: Template | undefined,
): string | undefined {
  const encoding = findBodyEncoding(contentType)
  if (body.kind !== 'text') return checkStructure(body, encoding)
  if (readMediaType(contentType)?.startsWith('multipart/') === true) {
    return 'has placeholders in a multipart text, where an argument could end its part; use a form or JSON'
  }
  if (encoding === 'form') return checkForm(body.template)
  return encoding === 'json' ? checkJsonText(body.template) : undefined
}

const IN_NAME =
  'has a placeholder in a name, so an argument could take any name; put it into the value'

/** A lone place is the whole body, and its members are written as pairs. */
function checkForm(template: Template): string | undefined {
  if (template.length === 1) return undefined
  const marked = replacePlaces(template, MARK)
  return marked.split('&').some((pair) => pair.split('=', 1)[0]?.includes(MARK))
    ? IN_NAME
    : undefined
}

/** Replaces a placeholder. No name of a pair or a member contains it. */
const MARK = '\u0001'

function replacePlaces(template: Template, mark: string): string {
  return template.map((piece) => (piece.kind === 'text' ? piece.text : mark)).join('')
}

function checkStructure(
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

/**
 * A place is filled with a complete JSON value; inside quotes, an argument could end the string.
 */
function checkJsonText(template: Template): string | undefined {
  const filled = replacePlaces(template, `"${MARK_IN_JSON}"`)
  try {
    return hasMarkedName(JSON.parse(filled)) ? IN_NAME : undefined
  } catch {
    // The parser's reason is omitted: it quotes the filled text, which the author never wrote.
    return 'is not JSON once its placeholders are filled; write placeholders without quotes around them, or the body as JSON'
  }
}

const MARK_IN_JSON = '\\u0001'

function hasMarkedName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => name === MARK || hasMarkedName(inner))
}

function readMediaType(contentType: Template | undefined): string | undefined {
  if (contentType === undefined) return undefined
  const text = contentType.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  return text.split(';')[0]?.trim().toLowerCase()
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
