/** Decodes the body of an upstream's answer if it is text. Never throws. */
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { isJsonMediaType } from '../json/json-media-type.ts'

/** `media` is image and audio data, which MCP has blocks for. */
export type BodyKind = 'json' | 'text' | 'media' | 'unknown' | 'binary'

const TEXT_TYPES = new Set(
  (
    'application/xml application/yaml application/x-yaml application/javascript ' +
    'application/x-ndjson application/graphql application/x-www-form-urlencoded application/toml'
  ).split(' '),
)

/**
 * Returns the kind of a media type; `unknown` for ''. SVG is text, because models read it as text.
 */
export function findBodyKind(mediaType: string): BodyKind {
  if (mediaType === '') return 'unknown'
  if (isJsonMediaType(mediaType)) return 'json'
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('+xml')
  if (isText || TEXT_TYPES.has(mediaType)) return 'text'
  return /^(?:image|audio)\//.test(mediaType) ? 'media' : 'binary'
}

/**
 * Returns the body as text without a byte order mark. On an error, `detail` tells the model why the
 * body is not readable. Invalid bytes become U+FFFD, as in browsers, unless `strict` refuses them.
 */
export function readBodyText(
  response: Pick<UpstreamResponse, 'body' | 'charset'>,
  strict: boolean,
): Result<string, { detail: string }> {
  const charset = response.charset === '' ? 'utf-8' : response.charset
  const decoder = makeDecoder(charset, strict)
  if (decoder === undefined) {
    return err({ detail: `its answer is in the unknown charset ${toSafeLabel(charset)}` })
  }
  const text = decode(decoder, response.body)
  if (text === undefined) return err({ detail: `its answer is not valid ${toSafeLabel(charset)}` })
  // Text never contains U+0000; images and archives nearly always do.
  return text.includes('\u0000') ? err({ detail: 'its answer is binary, not text' }) : ok(text)
}

type Decoder = InstanceType<typeof TextDecoder>

/**
 * One shared decoder: nearly every answer is UTF-8, and creating a decoder costs more than using
 * it.
 */
const UTF8 = new TextDecoder('utf-8')

/** Returns undefined for an unknown charset. TextDecoder throws a RangeError for it. */
function makeDecoder(charset: string, fatal: boolean): Decoder | undefined {
  if (charset === 'utf-8' && !fatal) return UTF8
  try {
    return new TextDecoder(charset, { fatal })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** Returns undefined for invalid bytes, for which a fatal decoder throws a TypeError. */
function decode(decoder: Decoder, bytes: Uint8Array): string | undefined {
  if (!decoder.fatal) return decoder.decode(bytes)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}

function toSafeLabel(label: string): string {
  return label.replace(/[^a-z0-9_.:-]/gi, '?').slice(0, 40)
}
