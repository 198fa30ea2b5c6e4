/**
 * HTTP requests as AWS would hand them to a function: payload 2.0 of a function URL, payload 1.0 of
 * a REST API at stage `v1`. A request from outside never carries `authorizer`: only AWS (and here
 * only our own process, past this file) proves who signed. Shapes: AWS Lambda and API Gateway docs.
 */
import type { IncomingMessage } from 'node:http'
import type { FunctionUrlEvent, InvocationContext } from '../adapters/http/events.ts'
import { readFunctionUrlEvent } from '../adapters/http/read-event.ts'
import { eventBody } from './request-body.ts'

export type Received = {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly requestId: string
}

const STAGE = 'v1'

export function functionUrlEvent(received: Received): FunctionUrlEvent {
  const { request, requestId } = received
  const { path, query } = targetOf(request)
  const method = request.method ?? 'GET'
  const sourceIp = request.socket.remoteAddress ?? ''
  return readFunctionUrlEvent({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: headersOf(request),
    requestContext: {
      http: { method, path, protocol: 'HTTP/1.1', sourceIp },
      requestId,
      domainName: request.headers.host ?? '',
      stage: '$default',
    },
    ...bodyFields(received),
  })
}

/** Raw, as the platform sends it: the admin door reads it by itself. */
export function restApiEvent(received: Received): unknown {
  const { request, requestId } = received
  const { path, query } = targetOf(request)
  const parameters: { [name: string]: string[] } = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = [...(parameters[name] ?? []), value]
  }
  return {
    httpMethod: request.method ?? 'GET',
    path: path.slice(`/${STAGE}`.length),
    headers: headersOf(request),
    multiValueQueryStringParameters: parameters,
    requestContext: { requestId, stage: STAGE },
    ...bodyFields(received),
  }
}

/** The twin never ends an invocation by itself. */
export function endlessContext(requestId: string): InvocationContext {
  return { awsRequestId: requestId, getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }
}

export function targetOf(request: IncomingMessage): {
  readonly path: string
  readonly query: string
} {
  const target = request.url ?? '/'
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** One value each, joined by commas, as both kinds of event carry them. */
function headersOf(request: IncomingMessage): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = Object.create(null)
  const raw = request.rawHeaders
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}

function bodyFields(received: Received): { body?: string; isBase64Encoded: boolean } {
  if (received.body.length === 0) return { isBase64Encoded: false }
  return eventBody(received.body, received.request.headers['content-type'])
}
