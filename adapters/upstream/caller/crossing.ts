/**
 * How a request for a private host, and its outcome, cross to the function caller and back: as
 * JSON, which Invoke demands, with bodies in base64. Pure. The text has secrets of users, so no
 * error says anything of it.
 */
import type {
  UpstreamAnswer,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../core/call/upstream.ts'
import type { UpstreamStep } from '../../../core/ports/outside.ts'
import type { HttpMethod } from '../../../core/skills/skill.ts'

/** Lambda's own limit of an Invoke's event, and of its answer. */
export const CROSSING_BYTES_MAX = 6_291_456
/** Bytes of an answer's body: in base64, with four heads of 32 kB, they fit into an Invoke. */
export const CROSSING_BODY_BYTES_MAX = 4_194_304

export type CrossingRequest = {
  /**
   * Its parts that HTTP knows; text of the body has become bytes. With `signing` it is signed already,
   * and goes on without a role.
   */
  readonly request: Pick<
    UpstreamRequest,
    'body' | 'headers' | 'method' | 'sensitive' | 'signing' | 'url'
  >
  /** A digest of the user: a connection that has carried a body of one serves no other. */
  readonly owner: string
  readonly responseBytesMax: number
  readonly timeoutMs: number
  readonly redirectsMax?: number | undefined
  readonly showHeaders?: readonly string[] | undefined
  /** Whether the headers of all answers come back. */
  readonly wantsHeaders: boolean
  readonly traceparent?: string | undefined
}

export type CrossingAnswer = {
  readonly answer: UpstreamAnswer
  /** The steps in their order, and how long before the end of the exchange each one was. */
  readonly steps: readonly { readonly step: UpstreamStep; readonly agoMs: number }[]
  /** Names and values in turn, one list for each answer; empty unless they were wanted. */
  readonly headers: readonly (readonly string[])[]
}

export function writeCrossingRequest({ request, ...terms }: CrossingRequest): string {
  const { body, headers, method, sensitive, signing, url } = request
  const bytes = body === undefined ? undefined : Buffer.from(body).toString('base64')
  const signed = signing && { service: signing.service, region: signing.region }
  return JSON.stringify({ ...terms, method, url, headers, sensitive, signing: signed, body: bytes })
}

/** Undefined for any value that {@link writeCrossingRequest} does not write. */
export function readCrossingRequest(value: unknown): CrossingRequest | undefined {
  if (!isRecord(value)) return undefined
  const request = readHttpRequest(value)
  const { owner, redirectsMax, responseBytesMax, showHeaders } = value
  const { timeoutMs, traceparent, wantsHeaders } = value
  if (request === undefined || !isText(owner) || typeof wantsHeaders !== 'boolean') return undefined
  if (!isCount(responseBytesMax) || !isCount(timeoutMs)) return undefined
  if (!isOptional(isCount, redirectsMax) || !isOptional(isTextList, showHeaders)) return undefined
  if (!isOptional(isText, traceparent)) return undefined
  return {
    request,
    owner,
    responseBytesMax,
    timeoutMs,
    redirectsMax,
    showHeaders,
    wantsHeaders,
    traceparent,
  }
}

function readHttpRequest(value: Fields): CrossingRequest['request'] | undefined {
  const { body, headers, method, sensitive, signing, url } = value
  if (!isMethod(method) || !isText(url) || !isTexts(headers)) return undefined
  if (!isOptional(isText, body) || !isOptional(isSensitive, sensitive)) return undefined
  if (!isOptional(isSigning, signing)) return undefined
  const bytes = body === undefined ? undefined : Buffer.from(body, 'base64')
  return {
    method,
    url,
    headers,
    body: bytes,
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(signing === undefined ? {} : { signing }),
  }
}

/** The answer as a value that JSON keeps. */
export function toCrossingAnswer({ answer, headers, steps }: CrossingAnswer): object {
  if (answer.kind !== 'answered') return { answer, headers, steps }
  const { body, ...response } = answer.response
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return { answer: { kind: 'answered', response, body: bytes.toString('base64') }, headers, steps }
}

/** Undefined for any text that is no JSON of {@link toCrossingAnswer}. */
export function readCrossingAnswer(text: string): CrossingAnswer | undefined {
  const value = parseJson(text)
  if (!isRecord(value)) return undefined
  const { headers, steps } = value
  const answer = readAnswer(value['answer'])
  if (answer === undefined || !Array.isArray(steps) || !steps.every(isStep)) return undefined
  if (!Array.isArray(headers) || !headers.every(isTextList)) return undefined
  return { answer, steps, headers }
}

function readAnswer(value: unknown): UpstreamAnswer | undefined {
  if (!isRecord(value)) return undefined
  const { body, bytesMax, detail, kind, response } = value
  switch (kind) {
    case 'answered':
      if (typeof body !== 'string' || !isResponseHead(response)) return undefined
      return { kind, response: { ...response, body: Buffer.from(body, 'base64') } }
    case 'refused_target':
    case 'unreadable':
      return typeof detail === 'string' ? { kind, detail } : undefined
    case 'unreachable':
      return typeof detail === 'string' ? { kind, detail, ...readMarks(value) } : undefined
    case 'too_large':
      return isCount(bytesMax) ? { kind, bytesMax } : undefined
    case 'cut':
      return { kind }
    default:
      return undefined
  }
}

const MARKS = ['neverConnected', 'hasPartialAnswer', 'isGatewayFault'] as const

function readMarks(value: Fields): { readonly [M in (typeof MARKS)[number]]?: true } {
  return Object.fromEntries(MARKS.flatMap((mark) => (value[mark] === true ? [[mark, true]] : [])))
}

type Fields = { readonly [name: string]: unknown }

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isTexts(value: unknown): value is { readonly [name: string]: string } {
  return isRecord(value) && Object.values(value).every(isText)
}

function isOptional<T>(is: (value: unknown) => value is T, value: unknown): value is T | undefined {
  return value === undefined || is(value)
}

const METHODS: ReadonlySet<unknown> = new Set<HttpMethod>([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
])

function isMethod(value: unknown): value is HttpMethod {
  return METHODS.has(value)
}

function isSensitive(value: unknown): value is NonNullable<UpstreamRequest['sensitive']> {
  if (!isRecord(value)) return false
  const { body, headers, query } = value
  return isTextList(headers) && typeof query === 'boolean' && typeof body === 'boolean'
}

function isSigning(value: unknown): value is NonNullable<UpstreamRequest['signing']> {
  return isRecord(value) && isText(value['service']) && isText(value['region'])
}

function isStep(value: unknown): value is CrossingAnswer['steps'][number] {
  if (!isRecord(value) || !isCount(value['agoMs'])) return false
  return value['step'] === 'connected' || value['step'] === 'first-byte'
}

function isResponseHead(value: unknown): value is Omit<UpstreamResponse, 'body'> {
  if (!isRecord(value) || !isCount(value['status'])) return false
  if (!isText(value['mediaType']) || !isText(value['charset'])) return false
  return isOptional(isText, value['retryAfter']) && isOptional(isTexts, value['headers'])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the error would quote the text, which may have secrets.
    return undefined
  }
}
