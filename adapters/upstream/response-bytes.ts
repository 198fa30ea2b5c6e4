/**
 * Counts the bytes of one response before node's parser takes them, and judges its heads as text: the parser lets some
 * through that two readers could understand differently, and its errors name no header. Keeps no body.
 */
import {
  chunkFault,
  headFault,
  LONE_INTERIM,
  NOT_HTTP,
  type Unreadable,
  unreadable,
} from './unreadable.ts'

/**
 * Limits status line and headers of an answer, together with the interim answers (1xx) before it.
 */
export const HEAD_BYTES_MAX = 32_768
/**
 * Sizes of chunks, their extensions and trailers: 65,536 chunks of one byte, at some microseconds each. The cap on the
 * body does not count them.
 */
export const CHUNKING_BYTES_MAX = 327_680

const HEAD_TOO_LONG = unreadable(`sent headers over ${HEAD_BYTES_MAX} bytes`)
const TRAILERS_TOO_LONG = unreadable(`sent over ${HEAD_BYTES_MAX} bytes of trailers`)
export const TOO_MUCH_CHUNKING = unreadable(
  `sent over ${CHUNKING_BYTES_MAX} bytes of chunk sizes, extensions and trailers`,
)
const HEAD_END = '\r\n\r\n'
const PROTOCOL = 'HTTP/1.'

export type ResponseBytes = {
  /** A fault of the bytes before these or of these. */
  take(bytes: Buffer): Unreadable | undefined
  /** Node's parser has read a head to its end: an interim one, or that of the answer. */
  endHead(kind: 'interim' | 'final'): Unreadable | undefined
  /** Bytes of the body that node has handed on. */
  readBody(bytes: number): void
  /** Bytes behind the head that are none of the body's. */
  bytesBeside(): number
  hasBegun(): boolean
  /** In words for an error of node's parser. */
  whyRefused(cause: { readonly code: string; readonly reason: string }): Unreadable
}

export function responseBytes(): ResponseBytes {
  /** Undefined behind the heads. */
  let text: string | undefined = ''
  let headAt = 0
  let headBytes = 0
  let hasBegun = false
  let beside = 0

  return {
    take: (bytes) => {
      hasBegun = true
      if (text === undefined) {
        const fault = beside > CHUNKING_BYTES_MAX ? TOO_MUCH_CHUNKING : undefined
        beside += bytes.length
        return fault
      }
      text += bytes.toString('latin1')
      return PROTOCOL.startsWith(text.slice(0, PROTOCOL.length)) ? undefined : NOT_HTTP
    },
    endHead: (kind) => {
      const end = text?.indexOf(HEAD_END, headAt) ?? -1
      if (text === undefined || end < 0) return NOT_HTTP
      const head = text.slice(headAt, end)
      headAt = end + HEAD_END.length
      headBytes += head.length
      if (kind === 'final') {
        beside = text.length - headAt
        text = undefined
      }
      if (headBytes > HEAD_BYTES_MAX) return HEAD_TOO_LONG
      return headFault(head) ?? (kind === 'interim' && isLast(head) ? LONE_INTERIM : undefined)
    },
    readBody: (bytes) => {
      beside -= bytes
    },
    bytesBeside: () => beside,
    hasBegun: () => hasBegun,
    whyRefused: ({ code, reason }) => {
      const isTooLong = code === 'HPE_HEADER_OVERFLOW'
      if (text === undefined) return isTooLong ? TRAILERS_TOO_LONG : chunkFault(code, reason)
      if (isTooLong) return HEAD_TOO_LONG
      return headFault(text.slice(headAt).split(HEAD_END)[0] ?? '') ?? NOT_HTTP
    },
  }
}

/** After an interim answer that closes the connection, or one of HTTP/1.0, no final answer can follow. */
function isLast(head: string): boolean {
  return head.startsWith('HTTP/1.0') || /^connection:.*\bclose\b/im.test(head)
}
