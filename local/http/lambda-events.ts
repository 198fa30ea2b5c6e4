/**
 * HTTP requests as AWS would pass them to the admin function: payload 1.0 of a REST API at stage
 * `v1`. Shape: API Gateway docs.
 */
import type { InvocationContext } from '../../adapters/http/events.ts'
import { eventBody } from '../../adapters/http/request-body.ts'
import { type HostedRequest, targetOf } from '../../adapters/http/server-events.ts'

const STAGE = 'v1'

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
