/**
 * The twin's HTTP server between its first connection and its doors. The port is opened first,
 * because the origin becomes part of stored records; so requests arrive while the store is still
 * being opened.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { RequestHeaders } from '../../adapters/http/events.ts'
import { makeProblemAnswer, sendAnswer } from '../../adapters/http/server-answers.ts'
import { joinRawHeaders, splitTarget } from '../../adapters/http/server-events.ts'
import { isMcpPath } from '../../lambdas/mcp/paths.ts'

/**
 * Most bytes of headers; above the doors' own limit, so that the doors can say which header is too
 * long.
 */
const HEADER_BYTES_MAX = 65_536

/**
 * Most streams that wait for the doors, more than the agents of one laptop open; the next stream
 * gets 503.
 */
const WAITING_STREAMS_MAX = 256

/** The event that the server emits when the doors get requests. */
const DOORS_OPEN = 'skillgate:doors-open'

/**
 * Creates a server that has no doors until {@link serveRequests}. Requests for a stream wait, because
 * an EventSource that gets any status but 200 never tries again (HTML Standard, section 9.2.3,
 * "fail the connection"): an agent whose twin was restarted would be lost. All other requests get
 * 503.
 */
export function createTwinServer(): Server {
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX })
  server.setMaxListeners(WAITING_STREAMS_MAX)
  server.on('request', answerWhileStarting)
  return server
}

/** Passes requests to `listener` from now on, first those that waited. */
export function serveRequests(
  server: Server,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.off('request', answerWhileStarting)
  server.on('request', listener)
  server.emit(DOORS_OPEN)
}

/** Tells whether a request opens a stream: by its path, else by its header. */
export function isStreamRequest(
  path: string,
  method: string | undefined,
  headers: RequestHeaders,
): boolean {
  if (path === '/v1/mcp/sse') return method === 'GET'
  return isMcpPath(path) && headers['mcp-method']?.trim() === 'subscriptions/listen'
}

function answerWhileStarting(
  this: Server,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isStream = isStreamRequest(
    splitTarget(request).path,
    request.method,
    joinRawHeaders(request),
  )
  if (!isStream || this.listenerCount(DOORS_OPEN) >= WAITING_STREAMS_MAX) {
    refuse(response)
    return
  }
  const replay = () => this.emit('request', request, response)
  this.once(DOORS_OPEN, replay)
  // Drops a request whose agent disconnects while it waits. After the doors are open this removes
  // nothing.
  response.once('close', () => this.off(DOORS_OPEN, replay))
}

function refuse(response: ServerResponse): void {
  sendAnswer(
    response,
    makeProblemAnswer('store_unavailable', 'The twin is starting; try again in a second.', {
      'retry-after': '1',
    }),
  )
}
