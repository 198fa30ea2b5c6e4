/**
 * Counts the bytes of one response before node's parser gets them, and checks its heads as text.
 * The parser accepts some heads that two readers could understand differently, and its errors name
 * no header. The body is not kept.
 */
import {
  describeChunkError,
  findHeadError,
  LONE_INTERIM,
  makeUnreadable,
  NOT_HTTP,
  type Unreadable,
} from './unreadable.ts'

/**
 * Bytes of an answer's status line and headers, with those of the interim answers (1xx) before it.
 */
export const HEAD_BYTES_MAX = 32_768
/**
 * Bytes of chunk sizes, extensions and trailers: enough for 65,536 chunks of one byte, which take
 * some microseconds each. The limit of the body does not include them.
 */
export const CHUNKING_BYTES_MAX = 327_680

const HEAD_TOO_LONG = makeUnreadable(`sent headers over ${HEAD_BYTES_MAX} bytes`)
const TRAILERS_TOO_LONG = makeUnreadable(`sent over ${HEAD_BYTES_MAX} bytes of trailers`)
export const TOO_MUCH_CHUNKING = makeUnreadable(
  `sent over ${CHUNKING_BYTES_MAX} bytes of chunk sizes, extensions and trailers`,
)
const HEAD_END = '\r\n\r\n'
const PROTOCOL = 'HTTP/1.'

export type ResponseBytes = {
  /** Counts bytes; returns why these, or those before them, are refused. */
  take(bytes: Buffer): Unreadable | undefined
  /**
   * Checks a head that node's parser has read to its end: of an interim answer or of the final one.
   */
  endHead(kind: 'interim' | 'final'): Unreadable | undefined
  /** Notes bytes of the body that node has handed on. */
  readBody(bytes: number): void
  /** Bytes after the head that are not part of the body. */
  bytesBeside(): number
  hasBegun(): boolean
  /** Describes an error of node's parser. */
  whyRefused(cause: { readonly code: string; readonly reason: string }): Unreadable
}

/** Makes the counter of one response. */
export function countResponseBytes(): ResponseBytes {
  /** The text of the heads; undefined after the last one. */
  let text: string | undefined = ''
  let headStart = 0
  let headBytes = 0
  let hasBegun = false
  let otherBytes = 0

  return {
    take: (bytes) => {
      hasBegun = true
      if (text === undefined) {
        const failure = otherBytes > CHUNKING_BYTES_MAX ? TOO_MUCH_CHUNKING : undefined
        otherBytes += bytes.length
        return failure
      }
      text += bytes.toString('latin1')
      return PROTOCOL.startsWith(text.slice(0, PROTOCOL.length)) ? undefined : NOT_HTTP
    },
    endHead: (kind) => {
      const end = text?.indexOf(HEAD_END, headStart) ?? -1
      if (text === undefined || end < 0) return NOT_HTTP
      const head = text.slice(headStart, end)
      headStart = end + HEAD_END.length
      headBytes += head.length
      if (kind === 'final') {
        otherBytes = text.length - headStart
        text = undefined
      }
      if (headBytes > HEAD_BYTES_MAX) return HEAD_TOO_LONG
      return findHeadError(head) ?? (kind === 'interim' && isLast(head) ? LONE_INTERIM : undefined)
    },
    readBody: (bytes) => {
      otherBytes -= bytes
    },
    bytesBeside: () => otherBytes,
    hasBegun: () => hasBegun,
    whyRefused: ({ code, reason }) => {
      const isTooLong = code === 'HPE_HEADER_OVERFLOW'
      if (text === undefined)
        return isTooLong ? TRAILERS_TOO_LONG : describeChunkError(code, reason)
      if (isTooLong) return HEAD_TOO_LONG
      return findHeadError(text.slice(headStart).split(HEAD_END)[0] ?? '') ?? NOT_HTTP
    },
  }
}

/** True if no final answer can follow: the interim answer is HTTP/1.0 or closes the connection. */
function isLast(head: string): boolean {
  return head.startsWith('HTTP/1.0') || /^connection:.*\bclose\b/im.test(head)
}
