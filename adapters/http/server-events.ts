/**
 * A request to an HTTP server of ours as the event that AWS makes of it for a function URL, payload
 * 2.0. A request from outside never carries `authorizer`: only AWS proves who signed. Shape: AWS
 * Lambda docs.
 */
import type { IncomingMessage } from 'node:http'
import type { FunctionUrlEvent, RequestHeaders } from './events.ts'
import { eventBody } from './request-body.ts'

export type HostedRequest = {
  readonly request: IncomingMessage
  /** From {@link headersOf}. */
  readonly headers: RequestHeaders
  readonly body: Buffer
  readonly requestId: string
  /** Of the client, where something in front of the server tells it. Undefined: the connection's. */
  readonly sourceAddress?: string | undefined
}

export function functionUrlEvent(received: HostedRequest): FunctionUrlEvent {
  const { body, headers, request, requestId, sourceAddress } = received
  const { path, query } = targetOf(request)
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
    ...eventBody(body, headers['content-type']),
  }
}

export function targetOf(request: IncomingMessage): {
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
 * One value for each name, joined by commas, as both kinds of event have them. Read from the raw
 * headers: node would build its own object at the first access.
 */
export function headersOf(request: IncomingMessage): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  const raw = request.rawHeaders
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}
