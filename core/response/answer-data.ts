/**
 * Answers that are not text: images, audio, documents, archives. Decides how a client gets their
 * bytes, and refuses data with a secret of the call in its bytes. A secret inside compressed data
 * is not found. Bound by docs/service.md, Response mapping, and ADR 0122.
 */
import { MIME_TYPE_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { encodeBase64 } from '../json/base64.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { UpstreamFailure } from './failure-text.ts'
import { type Mask, NO_MASK } from './mask.ts'
import { findBodyKind } from './read-body.ts'

/** Bytes of an answer before they are encoded or kept. */
export type AnswerData = {
  /** Lower-case, without parameters. */
  readonly mimeType: string
  readonly bytes: Uint8Array
}

export const UNKNOWN_TYPE = 'application/octet-stream'
export const SECRET_INSIDE =
  'The upstream answered data that holds a secret of this call, so it is not passed on.'

/** Returns the bytes of an answer with their type. Bytes cannot be masked, so some are refused. */
export function readAnswerData(
  { body, mediaType }: Pick<UpstreamResponse, 'body' | 'mediaType'>,
  mask: Mask,
): Result<AnswerData, UpstreamFailure> {
  const mimeType = mediaType === '' ? UNKNOWN_TYPE : mediaType
  if (mimeType.length > MIME_TYPE_CHARS_MAX) {
    const detail = `The upstream answered a media type of over ${MIME_TYPE_CHARS_MAX} characters.`
    return err({ detail })
  }
  if (mask(mimeType) !== mimeType || holdsSecret(body, mask)) return err({ detail: SECRET_INSIDE })
  return ok({ mimeType, bytes: body })
}

/**
 * Makes the block of data. Clients hand image blocks to a model, which refuses the whole
 * conversation for a type that it cannot see or for bytes of another type. So an image block has
 * bytes that begin as one of these types does, and that type. Other images are resources.
 */
export function toDataBlock({ bytes, mimeType }: AnswerData, uri: string): ContentBlock {
  return toTypedBlock(encodeBase64(bytes), bytes.subarray(0, IMAGE_HEAD_BYTES), mimeType, uri)
}

/** As {@link toDataBlock}, for a block whose data an upstream has encoded. */
export function toEncodedBlock(data: string, mimeType: string, uri: string): ContentBlock {
  const head = atob(data.slice(0, IMAGE_HEAD_BYTES * 2))
  const bytes = Uint8Array.from(head, (char) => char.charCodeAt(0))
  return toTypedBlock(data, bytes, mimeType, uri)
}

function toTypedBlock(data: string, head: Uint8Array, mimeType: string, uri: string): ContentBlock {
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  if (mimeType.startsWith('image/')) {
    const seen = findImageType(head)
    if (seen !== undefined) return { type: 'image', data, mimeType: seen }
    if (SEEN_TYPES.has(mimeType)) return toResource(data, UNKNOWN_TYPE, uri)
  }
  return toResource(data, mimeType, uri)
}

function toResource(blob: string, mimeType: string, uri: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, blob } }
}

const ANY = undefined
/** The first bytes of the types that models see. */
const IMAGES: readonly (readonly [type: string, head: readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  // RIFF, four bytes of length, WEBP.
  ['image/webp', [0x52, 0x49, 0x46, 0x46, ANY, ANY, ANY, ANY, 0x57, 0x45, 0x42, 0x50]],
]
const IMAGE_HEAD_BYTES = 12
const SEEN_TYPES: ReadonlySet<string> = new Set([...IMAGES.map(([type]) => type), 'image/jpg'])

function findImageType(head: Uint8Array): string | undefined {
  const [type] =
    IMAGES.find(([, known]) =>
      known.every((byte, index) => byte === undefined || byte === head[index]),
    ) ?? []
  return type
}

const UTF8 = new TextDecoder('utf-8')
/** A body is searched in pieces, since its whole text would take twice its bytes. */
const PIECE_BYTES = 1_048_576
/** Longer than a secret of SECRET_BYTES_MAX bytes in any spelling of the mask. */
const OVERLAP_BYTES = 65_536

export function holdsSecret(bytes: Uint8Array, mask: Mask): boolean {
  if (mask === NO_MASK) return false
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const text = UTF8.decode(bytes.subarray(at, at + PIECE_BYTES + OVERLAP_BYTES))
    if (mask(text) !== text) return true
  }
  return false
}

/** True for types whose bytes are text, in UTF-8 once they are kept. */
export function isTextType(mimeType: string): boolean {
  const kind = findBodyKind(mimeType)
  return kind === 'text' || kind === 'json'
}

/** The URI of data that is in an answer itself. It names the answer, and nothing can be read there. */
export function toAnswerUri(callId: string): string {
  return `skillgate://calls/${callId}/answer`
}
