/** Decodes the body of an upstream's answer if it is text. Never throws. */
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'

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
  if (mediaType === 'application/json' || mediaType === 'text/json') return 'json'
  if (mediaType.endsWith('+json')) return 'json'
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('+xml')
  if (isText || TEXT_TYPES.has(mediaType)) return 'text'
  return /^(?:image|audio)\//.test(mediaType) ? 'media' : 'binary'
}

/** Types whose bytes may look like text but are no text for a reader. */
const NEVER_TEXT =
  /^(?:font|model|video)\/|\/pdf$|zip|compressed|officedocument|opendocument|\/vnd\.ms-/
/** Control characters other than white space. */
const CONTROL = /[^\P{Cc}\t\n\v\f\r]/u
/** Bytes that decide whether the rest is worth reading. */
const PROBE_BYTES = 4_096

/**
 * True for a body of a type that names no text, such as application/sql, whose bytes are UTF-8
 * without control characters.
 */
export function looksLikeText({
  body,
  charset,
  mediaType,
}: Pick<UpstreamResponse, 'body' | 'charset' | 'mediaType'>): boolean {
  if (NEVER_TEXT.test(mediaType) || charset !== 'utf-8') return false
  if (CONTROL.test(UTF8.decode(body.subarray(0, PROBE_BYTES)))) return false
  const text = readBodyText({ body, charset }, true)
  return text.ok && !CONTROL.test(text.value)
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

/** Returns a long text as UTF-8, decoded in pieces; undefined for an unknown charset. */
export function toUtf8(body: Uint8Array, charset: string): Uint8Array | undefined {
  if (charset === 'utf-8' || charset === '') return body
  const decoder = makeDecoder(charset, false)
  if (decoder === undefined) return undefined
  const pieces: Uint8Array[] = []
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    const isLast = at + PIECE_BYTES >= body.length
    const text = decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: !isLast })
    pieces.push(ENCODER.encode(text))
  }
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

const PIECE_BYTES = 1_048_576
const ENCODER = new TextEncoder()

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

export function toSafeLabel(label: string): string {
  return label.replace(/[^a-z0-9_.:-]/gi, '?').slice(0, 40)
}
