// An HTTP request as the event of an API Gateway REST API with Lambda proxy integration: payload
// format 1.0. Header names keep their case, `path` has no stage, and bodies are text unless the
// API lists binary media types (ours lists none).

import { testAccountId } from './credentials.ts'

export type RestRequest = {
  readonly requestId: string
  readonly method: string
  readonly rawHeaders: readonly string[]
  /** without stage and query, as sent */
  readonly path: string
  readonly rawQueryString: string
  readonly stage: string
  /** The resource that matched, such as `/v1/admin/{proxy+}` */
  readonly resource: string
  readonly body: Buffer
  readonly sourceIp: string
  readonly nowMs: number
}

export function restEvent(request: RestRequest): Record<string, unknown> {
  const headers = pairsOf(request.rawHeaders)
  const query = [...new URLSearchParams(request.rawQueryString)]
  const hasBody = request.body.length > 0
  return {
    resource: request.resource,
    path: request.path,
    httpMethod: request.method,
    headers: lastOf(headers),
    multiValueHeaders: allOf(headers),
    queryStringParameters: query.length > 0 ? lastOf(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? allOf(query) : null,
    pathParameters: pathParameters(request.resource, request.path),
    stageVariables: null,
    requestContext: requestContext(request, lastOf(headers)),
    body: hasBody ? request.body.toString('utf8') : null,
    isBase64Encoded: false,
  }
}

function requestContext(
  request: RestRequest,
  headers: Record<string, string>,
): Record<string, unknown> {
  const { requestId, stage, path, resource, method, sourceIp, nowMs } = request
  return {
    accountId: testAccountId,
    apiId: 'testapi',
    domainName: headers['Host'] ?? headers['host'] ?? '',
    domainPrefix: 'testapi',
    extendedRequestId: requestId,
    httpMethod: method,
    identity: { sourceIp, userAgent: headers['User-Agent'] ?? headers['user-agent'] ?? null },
    path: `/${stage}${path}`,
    protocol: 'HTTP/1.1',
    requestId,
    requestTimeEpoch: nowMs,
    resourceId: 'testres',
    resourcePath: resource,
    stage,
  }
}

/** `{proxy+}` takes the rest of the path, `{name}` one segment; null when there are none. */
function pathParameters(resource: string, path: string): Record<string, string> | null {
  const values = path.split('/')
  const found: Record<string, string> = {}
  for (const [i, segment] of resource.split('/').entries()) {
    const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(segment) ?? []
    if (name === undefined) continue
    found[name] = greedy === '+' ? values.slice(i).join('/') : (values[i] ?? '')
  }
  return Object.keys(found).length > 0 ? found : null
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const names = rawHeaders.filter((_, i) => i % 2 === 0)
  return names.map((name, i) => [name, rawHeaders[i * 2 + 1] ?? ''])
}

function lastOf(pairs: readonly [string, string][]): Record<string, string> {
  return Object.fromEntries(pairs)
}

function allOf(pairs: readonly [string, string][]): Record<string, string[]> {
  const all: Record<string, string[]> = {}
  for (const [name, value] of pairs) all[name] = [...(all[name] ?? []), value]
  return all
}
