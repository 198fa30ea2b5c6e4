/** Decodes the bytes of an upstream's answer if they are text. Never throws. */

import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'

/** `media` is image and audio data, for which MCP has blocks. */
export type BodyKind = 'json' | 'text' | 'media' | 'unknown' | 'binary'

const TEXT_TYPES = new Set(
  (
    'application/xml application/yaml application/x-yaml application/javascript ' +
    'application/x-ndjson application/graphql application/x-www-form-urlencoded application/toml'
  ).split(' '),
)

/** The kind by media type; `unknown` without one. SVG counts as text, since models read it so. */
export function bodyKind(mediaType: string): BodyKind {
  if (mediaType === '') return 'unknown'
  if (mediaType === 'application/json' || mediaType === 'text/json') return 'json'
  if (mediaType.endsWith('+json')) return 'json'
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('+xml')
  if (isText || TEXT_TYPES.has(mediaType)) return 'text'
  return /^(?:image|audio)\//.test(mediaType) ? 'media' : 'binary'
}

/**
 * The body as text without byte order mark; `detail` says why it cannot be read, for the model.
 * Invalid bytes become U+FFFD, as in browsers, unless `strict`.
 */
export function readBodyText(
  response: Pick<UpstreamResponse, 'body' | 'charset'>,
  strict: boolean,
): Result<string, { detail: string }> {
  const charset = response.charset === '' ? 'utf-8' : response.charset
  const decoder = decoderFor(charset, strict)
  if (decoder === undefined) {
    return err({ detail: `its answer is in the unknown charset ${safe(charset)}` })
  }
  const text = decode(decoder, response.body)
  if (text === undefined) return err({ detail: `its answer is not valid ${safe(charset)}` })
  // Text never contains U+0000; images and archives nearly always do.
  return text.includes('\u0000') ? err({ detail: 'its answer is binary, not text' }) : ok(text)
}

type Decoder = InstanceType<typeof TextDecoder>

/** Shared, since nearly every answer is UTF-8 and a decoder costs more to create than to use. */
const UTF8 = new TextDecoder('utf-8')

/** TextDecoder throws a RangeError for an unknown label, and offers no way to ask beforehand. */
function decoderFor(charset: string, fatal: boolean): Decoder | undefined {
  if (charset === 'utf-8' && !fatal) return UTF8
  try {
    return new TextDecoder(charset, { fatal })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** Only a fatal decoder throws, and only for invalid bytes. */
function decode(decoder: Decoder, bytes: Uint8Array): string | undefined {
  if (!decoder.fatal) return decoder.decode(bytes)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}

function safe(label: string): string {
  return label.replace(/[^a-z0-9_.:-]/gi, '?').slice(0, 40)
}
