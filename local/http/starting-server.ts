/**
 * The twin's HTTP server between its first connection and its doors. Its port is taken first, as the
 * origin goes into what is stored, so requests come while the store is still being opened.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { RequestHeaders } from '../../adapters/http/events.ts'
import { problemAnswer, sendAnswer } from '../../adapters/http/server-answers.ts'
import { headersOf, targetOf } from '../../adapters/http/server-events.ts'
import { isMcpPath } from '../../lambdas/mcp/paths.ts'

/** Above the doors' own limit on headers, so that they say which one is too long. */
const HEADER_BYTES_MAX = 65_536

/** Streams that wait for the doors: more than one laptop's agents open; the next one gets 503. */
const WAITING_STREAMS_MAX = 256

/** Emitted by the server once requests reach the doors. */
const DOORS_OPEN = 'skillgate:doors-open'

/**
 * A server that has no doors until {@link serveWith}. Requests for a stream wait, since an EventSource
 * that is answered with any other status than 200 never tries again (HTML Standard, section 9.2.3, "fail
 * the connection"): an agent whose twin was restarted would be lost. All others are answered with 503.
 */
export function makeServer(): Server {
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX })
  server.setMaxListeners(WAITING_STREAMS_MAX)
  server.on('request', starting)
  return server
}

/** From now on `listener` gets the requests, and first those that waited. */
export function serveWith(
  server: Server,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.off('request', starting)
  server.on('request', listener)
  server.emit(DOORS_OPEN)
}

/** A response that stays open for ever by itself; the header says it where the path does not. */
export function opensStream(
  path: string,
  method: string | undefined,
  headers: RequestHeaders,
): boolean {
  if (path === '/v1/mcp/sse') return method === 'GET'
  return isMcpPath(path) && headers['mcp-method']?.trim() === 'subscriptions/listen'
}

function starting(this: Server, request: IncomingMessage, response: ServerResponse): void {
  const isStream = opensStream(targetOf(request).path, request.method, headersOf(request))
  if (!isStream || this.listenerCount(DOORS_OPEN) >= WAITING_STREAMS_MAX) {
    refuse(response)
    return
  }
  const ask = () => this.emit('request', request, response)
  this.once(DOORS_OPEN, ask)
  // The agent has gone meanwhile. After the doors are open this removes nothing.
  response.once('close', () => this.off(DOORS_OPEN, ask))
}

function refuse(response: ServerResponse): void {
  sendAnswer(
    response,
    problemAnswer('store_unavailable', 'The twin is starting; try again in a second.', {
      'retry-after': '1',
    }),
  )
}
