// An HTTP request as the event of a function URL: payload format 2.0.
// Binding: AWS "Invoking Lambda function URLs", request payload format.

import { type TestRole, testAccountId } from './credentials.ts'

export type UrlRequest = {
  readonly requestId: string
  readonly method: string
  /** path and query as sent */
  readonly target: string
  /** as joinHeaders gives them */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly sourceIp: string
  readonly nowMs: number
  /** The proven caller; only for AWS_IAM. */
  readonly caller?: TestRole
}

/** AWS's own list; anything else, `+json` too, comes in base64. */
const textTypes = /^(text\/.*|application\/(json|xml|javascript))$/
/** Hop-by-hop, or set by the platform whatever the client sent. */
const droppedHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te'])

/** Lower-cased names, repeated headers joined by commas (cookies by semicolons). */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const value = rawHeaders[i + 1] ?? ''
    const before = headers[name]
    const joint = name === 'cookie' ? '; ' : ','
    headers[name] = before === undefined ? value : `${before}${joint}${value}`
  }
  return headers
}

export function urlEvent(request: UrlRequest): Record<string, unknown> {
  const [rawPath = '/', rawQueryString = ''] = request.target.split(/\?(.*)/s)
  const cookie = request.headers['cookie']
  const query = queryParameters(rawQueryString)
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; ?/) }),
    headers: eventHeaders(request),
    ...(query === undefined ? {} : { queryStringParameters: query }),
    requestContext: requestContext(request, rawPath),
    ...eventBody(request),
  }
}

function eventHeaders(request: UrlRequest): Record<string, string> {
  const kept = Object.entries(request.headers).filter(([name]) => !droppedHeaders.has(name))
  return {
    ...Object.fromEntries(kept),
    'x-forwarded-for': request.sourceIp,
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  }
}

function requestContext(request: UrlRequest, path: string): Record<string, unknown> {
  const { headers, method, requestId, sourceIp, nowMs, caller } = request
  return {
    accountId: caller === undefined ? 'anonymous' : testAccountId,
    apiId: 'testurl',
    domainName: headers['host'] ?? '',
    domainPrefix: 'testurl',
    http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
    requestId,
    routeKey: '$default',
    stage: '$default',
    time: new Date(nowMs).toUTCString(),
    timeEpoch: nowMs,
    ...(caller === undefined ? {} : { authorizer: { iam: iamOf(caller) } }),
  }
}

function iamOf(caller: TestRole): Record<string, unknown> {
  return {
    accessKey: caller.accessKeyId,
    accountId: testAccountId,
    callerId: caller.userId,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: caller.userArn,
    userId: caller.userId,
  }
}

function eventBody({ body, headers }: UrlRequest): Record<string, unknown> {
  if (body.length === 0) return { isBase64Encoded: false }
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  const isText = textTypes.test(type.trim().toLowerCase()) && !('content-encoding' in headers)
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText }
}

/** Decoded; repeated names joined by commas. */
function queryParameters(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === '') return undefined
  const joined: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = joined[name]
    joined[name] = before === undefined ? value : `${before},${value}`
  }
  return joined
}
