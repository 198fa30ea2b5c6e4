/**
 * Parses the platform's events into typed ones. No input of a client can fail here. An event of
 * another shape means that something other than its URL invoked the function, which is a fault.
 */
import { Fault } from '../../core/errors.ts'
import type {
  FunctionUrlEvent,
  IamCaller,
  InvocationContext,
  RequestHeaders,
  RestApiEvent,
} from './events.ts'

/** Throws `Fault('internal')` for anything but payload 2.0. */
export function readFunctionUrlEvent(value: unknown): FunctionUrlEvent {
  const event = asFields(value)
  const context = asFields(event['requestContext'])
  const http = asFields(context['http'])
  if (event['version'] !== '2.0' || typeof http['method'] !== 'string') {
    throw new Fault('internal', 'the event is not a function URL request of payload 2.0')
  }
  const iam = readIam(asFields(context['authorizer'])['iam'])
  return {
    version: '2.0',
    rawPath: asText(event['rawPath']),
    rawQueryString: asText(event['rawQueryString']),
    headers: withCookies(readHeaders(event['headers']), event['cookies']),
    requestContext: {
      http: {
        method: http['method'],
        path: asText(http['path']),
        sourceIp: asText(http['sourceIp']),
      },
      ...(iam === undefined ? {} : { authorizer: { iam } }),
      requestId: asText(context['requestId']),
      domainName: asText(context['domainName']),
    },
    ...readBody(event),
  }
}

/** Throws `Fault('internal')` for anything but payload 1.0. */
export function readRestApiEvent(value: unknown): RestApiEvent {
  const event = asFields(value)
  const context = asFields(event['requestContext'])
  if (typeof event['httpMethod'] !== 'string' || typeof event['path'] !== 'string') {
    throw new Fault('internal', 'the event is not a REST API request of payload 1.0')
  }
  return {
    httpMethod: event['httpMethod'],
    path: withoutStage(event['path'], asText(context['stage'])),
    headers: { ...readHeaders(event['headers']), ...readMultiHeaders(event['multiValueHeaders']) },
    query: readQuery(event),
    requestId: asText(context['requestId']),
    sourceIp: asText(asFields(context['identity'])['sourceIp']),
    domainName: asText(context['domainName']),
    ...readBody(event),
  }
}

/**
 * Headers of an event of either kind, without parsing the rest; {} for a value that is no event.
 */
export function readEventHeaders(value: unknown): RequestHeaders {
  return readHeaders(asFields(value)['headers'])
}

export function readContext(value: unknown): InvocationContext {
  const context = asFields(value)
  const remaining = context['getRemainingTimeInMillis']
  return {
    awsRequestId: asText(context['awsRequestId']),
    getRemainingTimeInMillis: () =>
      typeof remaining === 'function'
        ? Number(Reflect.apply(remaining, context, []))
        : Number.POSITIVE_INFINITY,
  }
}

/** The platform adds `iam`, and only for a signature that it has checked. */
function readIam(value: unknown): IamCaller | undefined {
  const { accountId, userArn } = asFields(value)
  if (typeof accountId !== 'string' || typeof userArn !== 'string') return undefined
  return { accountId, userArn }
}

function readHeaders(value: unknown): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  for (const [name, one] of Object.entries(asFields(value))) {
    if (typeof one === 'string') addHeader(headers, name, one)
  }
  return headers
}

/** In payload 2.0, cookies are a list of their own. */
function withCookies(headers: RequestHeaders, cookies: unknown): RequestHeaders {
  if (!Array.isArray(cookies) || headers['cookie'] !== undefined) return headers
  const texts = cookies.filter((one) => typeof one === 'string')
  return texts.length === 0 ? headers : Object.assign(headers, { cookie: texts.join('; ') })
}

/** In payload 1.0, `multiValueHeaders` has every value of a header, and `headers` only the last. */
function readMultiHeaders(value: unknown): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  for (const [name, all] of Object.entries(asFields(value))) {
    if (Array.isArray(all)) addHeader(headers, name, all.map(String).join(','))
  }
  return headers
}

/** Names that differ only in case are one header that was sent twice; both values are kept. */
function addHeader(headers: { [name: string]: string }, name: string, value: string): void {
  const key = name.toLowerCase()
  const before = headers[key]
  headers[key] = before === undefined ? value : `${before},${value}`
}

function readQuery(event: Fields): RestApiEvent['query'] {
  const multi = Object.entries(asFields(event['multiValueQueryStringParameters']))
  if (multi.length > 0) {
    return multi.flatMap(([name, all]) =>
      (Array.isArray(all) ? all : []).map((one) => [name, String(one)] as const),
    )
  }
  const single = Object.entries(asFields(event['queryStringParameters']))
  return single.map(([name, one]) => [name, String(one)] as const)
}

/** A custom domain keeps the base path in front; without one the platform removes it. */
function withoutStage(path: string, stage: string): string {
  const before = `/${stage}/`
  return stage !== '' && path.startsWith(before) ? path.slice(before.length - 1) : path
}

function readBody(event: Fields): { body?: string; isBase64Encoded: boolean } {
  const body = event['body']
  return {
    ...(typeof body === 'string' ? { body } : {}),
    isBase64Encoded: event['isBase64Encoded'] === true,
  }
}

type Fields = { readonly [name: string]: unknown }

/** A cast instead of a copy, because an event is read three times. */
function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
