/**
 * Separates the bytes of a response's body from the bytes that arrive, by length or to the
 * connection's end (RFC 9112 section 6.3); chunked-body.ts reads chunks. Keeps no bytes itself.
 */

import type { Body, Sink } from './body-sink.ts'
import { chunkedBody } from './chunked-body.ts'
import type { Framing } from './response-head.ts'

export function bodyOf(framing: Framing, bytesMax: number, sink: Sink): Body {
  switch (framing.kind) {
    case 'length':
      return lengthBody(framing.bytes, bytesMax, sink)
    case 'chunked':
      return chunkedBody(sink)
    case 'until_close':
      return { take: (bytes) => sink.add(bytes) ?? 'more' }
    default:
      return framing satisfies never
  }
}

function lengthBody(length: number, bytesMax: number, sink: Sink): Body {
  let missing = length
  return {
    take: (bytes) => {
      // The declared length is past the cap: wait for no byte of it.
      if (length > bytesMax) return 'too_large'
      const part = bytes.length <= missing ? bytes : bytes.subarray(0, missing)
      const fault = sink.add(part)
      if (fault !== undefined) return fault
      missing -= part.length
      if (missing > 0) return 'more'
      return part.length < bytes.length ? 'surplus' : 'done'
    },
  }
}
