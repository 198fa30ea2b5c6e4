/**
 * HTTP requests as AWS would pass them to a function: payload 2.0 of a function URL, payload 1.0 of
 * a REST API at stage `v1`. A request from outside never carries `authorizer`: only AWS, and in
 * this process only our own peers, prove who signed. Shapes: AWS Lambda and API Gateway docs.
 */
import type { IncomingMessage } from 'node:http'
import type {
  FunctionUrlEvent,
  InvocationContext,
  RequestHeaders,
} from '../../adapters/http/events.ts'
import { eventBody } from './request-body.ts'

export type HostedRequest = {
  readonly request: IncomingMessage
  /** From {@link headersOf}. */
  readonly headers: RequestHeaders
  readonly body: Buffer
  readonly requestId: string
}

const STAGE = 'v1'

export function functionUrlEvent(received: HostedRequest): FunctionUrlEvent {
  const { body, headers, request, requestId } = received
  const { path, query } = targetOf(request)
  const method = request.method ?? 'GET'
  const sourceIp = request.socket.remoteAddress ?? ''
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

/** Unparsed, as the platform sends it: the admin door parses it. */
export function restApiEvent(received: HostedRequest): unknown {
  const { body, headers, request, requestId } = received
  const { path, query } = targetOf(request)
  const parameters: { [name: string]: string[] } = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = [...(parameters[name] ?? []), value]
  }
  return {
    httpMethod: request.method ?? 'GET',
    path: path.slice(`/${STAGE}`.length),
    headers,
    multiValueQueryStringParameters: parameters,
    requestContext: {
      requestId,
      stage: STAGE,
      identity: { sourceIp: request.socket.remoteAddress ?? '' },
    },
    ...eventBody(body, headers['content-type']),
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
