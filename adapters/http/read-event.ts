/**
 * Parses the platform's events into typed ones. No input of a client can fail here. An event of
 * another shape means that something other than its URL invoked the function, which is an operating
 * fault.
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
  const event = record(value)
  const context = record(event['requestContext'])
  const http = record(context['http'])
  if (event['version'] !== '2.0' || typeof http['method'] !== 'string') {
    throw new Fault('internal', 'the event is not a function URL request of payload 2.0')
  }
  const iam = readIam(record(context['authorizer'])['iam'])
  return {
    version: '2.0',
    rawPath: text(event['rawPath']),
    rawQueryString: text(event['rawQueryString']),
    headers: readHeaders(event['headers']),
    requestContext: {
      http: { method: http['method'], path: text(http['path']), sourceIp: text(http['sourceIp']) },
      ...(iam === undefined ? {} : { authorizer: { iam } }),
      requestId: text(context['requestId']),
      domainName: text(context['domainName']),
    },
    ...readBody(event),
  }
}

/** Throws `Fault('internal')` for anything but payload 1.0. */
export function readRestApiEvent(value: unknown): RestApiEvent {
  const event = record(value)
  const context = record(event['requestContext'])
  if (typeof event['httpMethod'] !== 'string' || typeof event['path'] !== 'string') {
    throw new Fault('internal', 'the event is not a REST API request of payload 1.0')
  }
  return {
    httpMethod: event['httpMethod'],
    path: withoutStage(event['path'], text(context['stage'])),
    headers: { ...readHeaders(event['headers']), ...readMultiHeaders(event['multiValueHeaders']) },
    query: readQuery(event),
    requestId: text(context['requestId']),
    sourceIp: text(record(context['identity'])['sourceIp']),
    ...readBody(event),
  }
}

/**
 * Headers of an event of either kind, before the rest is parsed; {} for a value that is no event.
 */
export function headersOf(value: unknown): RequestHeaders {
  return readHeaders(record(value)['headers'])
}

export function readContext(value: unknown): InvocationContext {
  const context = record(value)
  const remaining = context['getRemainingTimeInMillis']
  return {
    awsRequestId: text(context['awsRequestId']),
    getRemainingTimeInMillis: () =>
      typeof remaining === 'function'
        ? Number(Reflect.apply(remaining, context, []))
        : Number.POSITIVE_INFINITY,
  }
}

/** The platform adds `iam` itself, and only for a signature that it has checked. */
function readIam(value: unknown): IamCaller | undefined {
  const { accountId, userArn } = record(value)
  if (typeof accountId !== 'string' || typeof userArn !== 'string') return undefined
  return { accountId, userArn }
}

function readHeaders(value: unknown): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  for (const [name, one] of Object.entries(record(value))) {
    if (typeof one === 'string') add(headers, name, one)
  }
  return headers
}

/** Payload 1.0 has every value of a header here, and only the last one in `headers`. */
function readMultiHeaders(value: unknown): RequestHeaders {
  const headers: { [name: string]: string } = Object.create(null)
  for (const [name, all] of Object.entries(record(value))) {
    if (Array.isArray(all)) add(headers, name, all.map(String).join(','))
  }
  return headers
}

/** Names that differ in case are one header, sent twice: its reader must see both values. */
function add(headers: { [name: string]: string }, name: string, value: string): void {
  const key = name.toLowerCase()
  const before = headers[key]
  headers[key] = before === undefined ? value : `${before},${value}`
}

function readQuery(event: Fields): RestApiEvent['query'] {
  const multi = Object.entries(record(event['multiValueQueryStringParameters']))
  if (multi.length > 0) {
    return multi.flatMap(([name, all]) =>
      (Array.isArray(all) ? all : []).map((one) => [name, String(one)] as const),
    )
  }
  const single = Object.entries(record(event['queryStringParameters']))
  return single.map(([name, one]) => [name, String(one)] as const)
}

/** A custom domain leaves the base path in front; without one the platform removes it. */
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

/** A cast, not a copy: an event is read three times, by names that our code spells. */
function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
