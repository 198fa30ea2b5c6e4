/** Bytes of an upstream's answer to text, and whether they are text at all. Never throws. */
import { err, ok, type Result } from '../errors.ts'
import type { UpstreamResponse } from './upstream.ts'

/** `media` is what MCP has blocks for. */
export type BodyKind = 'json' | 'text' | 'media' | 'unknown' | 'binary'

const TEXT_TYPES = new Set(
  (
    'application/xml application/yaml application/x-yaml application/javascript ' +
    'application/x-ndjson application/graphql application/x-www-form-urlencoded application/toml'
  ).split(' '),
)

/** What the media type promises; `unknown` where there is none. SVG is text: models read it so. */
export function bodyKind(mediaType: string): BodyKind {
  if (mediaType === '') return 'unknown'
  if (mediaType === 'application/json' || mediaType === 'text/json') return 'json'
  if (mediaType.endsWith('+json')) return 'json'
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('+xml')
  if (isText || TEXT_TYPES.has(mediaType)) return 'text'
  return /^(?:image|audio)\//.test(mediaType) ? 'media' : 'binary'
}

/**
 * The body as text, byte order mark removed; `detail` says why not, in words for the model. Bytes
 * that are wrong in their charset become U+FFFD, as browsers have it, unless `strict`.
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
  // U+0000 never stands in text, and always in images, archives and the like.
  return text.includes('\u0000') ? err({ detail: 'its answer is binary, not text' }) : ok(text)
}

type Decoder = InstanceType<typeof TextDecoder>

/** Nearly every answer's; a decoder costs more to make than to use. */
const UTF8 = new TextDecoder('utf-8')

/** TextDecoder throws a RangeError on a label that it does not know: there is no way to ask first. */
function decoderFor(charset: string, fatal: boolean): Decoder | undefined {
  if (charset === 'utf-8' && !fatal) return UTF8
  try {
    return new TextDecoder(charset, { fatal })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** Only a fatal decoder throws, and only for bytes that are wrong. */
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
