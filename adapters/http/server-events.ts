/**
 * Turns a request to this gateway's HTTP server into the event that AWS makes for a function URL,
 * payload 2.0 (AWS Lambda docs). The event never has `authorizer`: only AWS proves who signed a
 * request. The whole body is read first, as Lambda does, up to the platform's limit or a smaller
 * one. In the event it is text, or base64 for other bytes.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FunctionUrlEvent, RequestHeaders } from './events.ts'

export type HostedRequest = {
  readonly request: IncomingMessage
  /** The result of {@link joinRawHeaders}. */
  readonly headers: RequestHeaders
  readonly body: Buffer
  readonly requestId: string
  /**
   * The client's address, if a proxy in front of the server sends it; default: the connection's.
   */
  readonly sourceAddress?: string | undefined
}

export function makeFunctionUrlEvent(received: HostedRequest): FunctionUrlEvent {
  const { body, headers, request, requestId, sourceAddress } = received
  const { path, query } = splitTarget(request)
  const method = request.method ?? 'GET'
  const sourceIp = sourceAddress ?? request.socket.remoteAddress ?? ''
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      http: { method, path, sourceIp },
      requestId,
      domainName: headers['host'] ?? '',
    },
    ...makeEventBody(body, headers['content-type']),
  }
}

export function splitTarget(request: IncomingMessage): {
  readonly path: string
  readonly query: string
} {
  const target = request.url ?? '/'
  const queryAt = target.indexOf('?')
  return queryAt < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, queryAt), query: target.slice(queryAt + 1) }
}

/**
 * Joins the values of each name by commas, as both kinds of event do. It reads the raw headers,
 * because `request.headers` would build another object.
 */
export function joinRawHeaders(request: IncomingMessage): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  const raw = request.rawHeaders
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}

/** Function URLs and REST APIs accept 6 MB; the doors have smaller limits of their own. */
export const PLATFORM_BODY_BYTES_MAX = 6 * 1024 * 1024

/** Media types that Lambda passes on as text. */
const TEXT_TYPE = /^(text\/|application\/(json|javascript|xml)\b|application\/[^;]*\+(json|xml)\b)/i

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** `isRead`: the body was read to its end and dropped. Otherwise the rest is not read yet. */
  | { readonly kind: 'too_large'; readonly isRead: boolean }
  /** The client left before the end. */
  | { readonly kind: 'aborted' }

/** `keptMax`: a smaller limit in bytes, for a process that reads many bodies at once. */
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
      // The request stays open, because its connection is needed for the refusal.
      request.off('data', take).pause()
      resolve({ kind: 'too_large', isRead: false })
    }
    request.on('data', take)
    // `on`, not `once`, which keeps two more objects each for as long as the request is open.
    request.on('end', () => {
      const isKept = size <= keptMax
      resolve(
        isKept ? { kind: 'body', bytes: joinChunks(chunks) } : { kind: 'too_large', isRead: true },
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

/** Most bodies arrive in one chunk, which needs no copy. */
function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [only, another] = chunks
  if (only === undefined) return NO_BYTES
  return another === undefined ? only : Buffer.concat(chunks)
}

/** Bytes that are not UTF-8 become base64, so that the door gets them unchanged. */
export function makeEventBody(
  bytes: Buffer,
  contentType: string | undefined,
): { readonly body?: string; readonly isBase64Encoded: boolean } {
  if (bytes.length === 0) return { isBase64Encoded: false }
  return TEXT_TYPE.test(contentType ?? '') && isUtf8(bytes)
    ? { body: bytes.toString('utf8'), isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true }
}
