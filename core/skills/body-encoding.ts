/**
 * How arguments are encoded inside a body, by the skill's own content-type header, so that none can
 * break out of its place. Judges templates once, at sync; core/call/draft-body.ts encodes by it.
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
  return encoding === 'json' ? jsonFault(body.template) : undefined
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
  const filled = template.map((piece) => (piece.kind === 'text' ? piece.text : '""')).join('')
  try {
    JSON.parse(filled)
    return undefined
  } catch {
    // The parser's reason is omitted: it quotes the filled text, which the author never wrote.
    return 'is not JSON once its placeholders are filled; write placeholders without quotes around them, or the body as JSON'
  }
}

function mediaTypeOf(contentType: Template | undefined): string | undefined {
  if (contentType === undefined) return undefined
  const text = contentType.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  return text.split(';')[0]?.trim().toLowerCase()
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
