/**
 * The bytes of a response's body out of those that arrive, by length or to the connection's end
 * (RFC 9112 section 6.3); chunks are in chunked-body.ts. Never keeps more than the cap.
 */
import { type Body, collected } from './body-parts.ts'
import { chunkedBody } from './chunked-body.ts'
import type { Framing } from './response-head.ts'

export function bodyOf(framing: Framing, bytesMax: number): Body {
  switch (framing.kind) {
    case 'length':
      return lengthBody(framing.bytes, bytesMax)
    case 'chunked':
      return chunkedBody(bytesMax)
    case 'until_close':
      return lengthBody(Number.POSITIVE_INFINITY, bytesMax)
    default:
      return framing satisfies never
  }
}

/** An infinite length never is done: the connection's end is. */
function lengthBody(length: number, bytesMax: number): Body {
  const parts = collected(bytesMax)
  let missing = length
  return {
    take: (bytes) => {
      if (Number.isFinite(length) && length > bytesMax) return 'too_large'
      const part = bytes.subarray(0, missing)
      if (!parts.add(part)) return 'too_large'
      missing -= part.length
      if (missing > 0) return 'more'
      return part.length < bytes.length ? 'surplus' : 'done'
    },
    bytes: parts.all,
  }
}
