/** Bytes of an upstream's answer to text, and whether they are text at all. Never throws. */
import { err, ok, type Result } from '../errors.ts'
import type { UpstreamResponse } from './upstream.ts'

export type BodyKind = 'json' | 'text' | 'unknown' | 'binary'

const TEXT_TYPES = new Set(
  (
    'application/xml application/yaml application/x-yaml application/javascript ' +
    'application/x-ndjson application/graphql application/x-www-form-urlencoded application/toml'
  ).split(' '),
)

/** What the media type promises; `unknown` where there is none. */
export function bodyKind(mediaType: string): BodyKind {
  if (mediaType === '') return 'unknown'
  if (mediaType === 'application/json' || mediaType === 'text/json') return 'json'
  if (mediaType.endsWith('+json')) return 'json'
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('+xml')
  return isText || TEXT_TYPES.has(mediaType) ? 'text' : 'binary'
}

/** The body as text, byte order mark removed; `detail` says why not, in words for the model. */
export function readBodyText(response: UpstreamResponse): Result<string, { detail: string }> {
  const text = decode(response.body, response.charset)
  if (text === undefined) {
    return err({ detail: `its answer is in the unknown charset ${safe(response.charset)}` })
  }
  // U+0000 never stands in text, and always in images, archives and the like.
  return text.includes('\u0000') ? err({ detail: 'its answer is binary, not text' }) : ok(text)
}

/** Nearly every answer's; a decoder costs more to make than to use. */
const UTF8 = new TextDecoder('utf-8')

/** TextDecoder throws a RangeError on a label that it does not know: there is no way to ask first. */
function decode(bytes: Uint8Array, charset: string): string | undefined {
  if (charset === 'utf-8') return UTF8.decode(bytes)
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

function safe(label: string): string {
  return label.replace(/[^a-z0-9_.:-]/gi, '?').slice(0, 40)
}
