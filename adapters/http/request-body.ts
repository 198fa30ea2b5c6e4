/**
 * Reads a request's body whole, as Lambda does before it invokes, and chooses its form in the
 * event: text, or base64 for other bytes. Refuses bodies past the platform's own limit, or past a smaller one.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** Function URLs and REST APIs take 6 MB; the doors refuse earlier by limits of their own. */
export const PLATFORM_BODY_BYTES_MAX = 6 * 1024 * 1024

/** Media types that Lambda passes on as text. */
const TEXT = /^(text\/|application\/(json|javascript|xml)\b|application\/[^;]*\+(json|xml)\b)/i

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** `isRead`: to its end without keeping it. Otherwise the rest is still to come. */
  | { readonly kind: 'too_large'; readonly isRead: boolean }
  /** The client left before the end. */
  | { readonly kind: 'aborted' }

/** `keptMax` is for a process that reads many bodies at once. */
export function readBody(
  request: IncomingMessage,
  keptMax = PLATFORM_BODY_BYTES_MAX,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= keptMax) chunks.push(chunk)
      else chunks = []
      if (size <= PLATFORM_BODY_BYTES_MAX) return
      // The request stays open: its connection carries the refusal.
      request.off('data', take).pause()
      resolve({ kind: 'too_large', isRead: false })
    }
    request.on('data', take)
    // `on`, not `once`, which keeps two more objects each for as long as the request is open.
    request.on('end', () => {
      const isKept = size <= keptMax
      resolve(
        isKept ? { kind: 'body', bytes: joined(chunks) } : { kind: 'too_large', isRead: true },
      )
      chunks = []
    })
    const leave = () => resolve({ kind: 'aborted' })
    // A request stream fails only when its client leaves, and then no answer is needed.
    request.on('error', leave)
    request.on('close', leave)
  })
}

const NO_BYTES = Buffer.alloc(0)

/** Most bodies come in one chunk, which needs no copy. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [only, another] = chunks
  if (only === undefined) return NO_BYTES
  return another === undefined ? only : Buffer.concat(chunks)
}

/**
 * Bytes that are not UTF-8 travel as base64, so that the door gets them unchanged; an empty body is
 * left out.
 */
export function eventBody(
  bytes: Buffer,
  contentType: string | undefined,
): { readonly body?: string; readonly isBase64Encoded: boolean } {
  if (bytes.length === 0) return { isBase64Encoded: false }
  return TEXT.test(contentType ?? '') && isUtf8(bytes)
    ? { body: bytes.toString('utf8'), isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true }
}
