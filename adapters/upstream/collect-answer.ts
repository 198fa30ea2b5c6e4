/**
 * Collects the answer of a response whose head has arrived: its body up to the limit, or the target
 * of a redirect. Node may keep the connection only after a complete answer without surplus bytes.
 */
import type { IncomingMessage } from 'node:http'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../core/ports/outside.ts'
import { isRedirect, type Redirect } from '../../core/request/redirect.ts'
import { parseMediaType } from '../../core/response/media-type.ts'
import type { Line } from './origin-agent.ts'
import {
  findHeaderValue,
  listHeaderValues,
  type ResponseHead,
  toAnswered,
  toNotAnswered,
} from './read-response.ts'
import { type BodyFailure, makeBodyCollector } from './response-body.ts'
import { CHUNKING_BYTES_MAX, type ResponseBytes, TOO_MUCH_CHUNKING } from './response-bytes.ts'
import { unpackStream } from './unpack-stream.ts'
import { BAD_TRAILER } from './unreadable.ts'

export type AnswerOutcome = UpstreamAnswer | (Redirect & { readonly kind: 'redirected' })

/** The connection ended within an answer. */
export const BROKEN_ANSWER: UpstreamAnswer = {
  kind: 'unreachable',
  detail: 'broke off in the middle of its answer',
  hasPartialAnswer: true,
}

type Collecting = {
  readonly method: string
  readonly limits: Pick<
    UpstreamLimits,
    'onEvents' | 'onHeaders' | 'responseBytesMax' | 'showHeaders'
  >
  readonly bytes: ResponseBytes
  readonly line: Line | undefined
  readonly finish: (outcome: AnswerOutcome) => void
  /** Ends the connection too. */
  readonly fail: (outcome: AnswerOutcome) => void
}

/** Calls `finish` or `fail` of `collecting` once. */
export function collectAnswer(response: IncomingMessage, collecting: Collecting): void {
  const head = readHead(response)
  const redirect = readRedirect(head)
  const { onEvents } = collecting.limits
  if (redirect === undefined && onEvents !== undefined && isEventStream(head)) {
    streamEvents(response, head, { ...collecting, onEvents })
  } else if (redirect === undefined) collectBody(response, head, collecting)
  else {
    dropBody(response, collecting)
    collecting.limits.onHeaders?.(head.headers)
    collecting.finish({ kind: 'redirected', ...redirect })
  }
}

function collectBody(response: IncomingMessage, head: ResponseHead, collecting: Collecting): void {
  const { bytes, fail, finish, limits, method } = collecting
  const { responseBytesMax } = limits
  const refuse = (failure: BodyFailure) => fail(toNotAnswered(failure, responseBytesMax))
  // A declared length over the limit is refused before its bytes arrive.
  if (readDeclaredBytes(head, method) > responseBytesMax) refuse('too_large')
  const encoding = listHeaderValues(head.headers, 'content-encoding').join(', ')
  const body = makeBodyCollector(encoding, responseBytesMax)
  response.on('data', (part: Buffer) => {
    bytes.readBody(part.length)
    const failure = body.add(part)
    if (failure !== undefined) refuse(failure)
  })
  response.on('error', () => fail(BROKEN_ANSWER))
  response.on('end', async () => {
    const failure = findEndFailure(response, bytes)
    if (failure !== undefined) return refuse(failure)
    // Frees the connection first, so that a waiting request does not wait for the unpacking.
    release(response, collecting)
    limits.onHeaders?.(head.headers)
    const whole = await body.whole()
    if (Buffer.isBuffer(whole)) finish(toAnswered(head, whole, limits.showHeaders))
    else finish(toNotAnswered(whole, responseBytesMax))
  })
}

function isEventStream({ headers, status }: ResponseHead): boolean {
  const type = parseMediaType(findHeaderValue(headers, 'content-type') ?? '')
  return status >= 200 && status <= 299 && type?.mediaType === EVENT_STREAM
}

const EVENT_STREAM = 'text/event-stream'
const NO_BYTES = new Uint8Array()

/** The reader ends most streams itself, at the event that it waits for. */
function streamEvents(
  response: IncomingMessage,
  head: ResponseHead,
  collecting: Collecting & { readonly onEvents: (part: Uint8Array) => boolean },
): void {
  const { bytes, fail, limits, onEvents } = collecting
  const answer = toAnswered(head, NO_BYTES, limits.showHeaders)
  limits.onHeaders?.(head.headers)
  unpackStream(response, {
    encoding: listHeaderValues(head.headers, 'content-encoding').join(', '),
    bytesMax: limits.responseBytesMax,
    onArrived: (count) => bytes.readBody(count),
    onPart: onEvents,
    onEnd: (end) => {
      if (end === 'broken') return fail(BROKEN_ANSWER)
      const refused = end === 'enough' ? undefined : (end ?? findEndFailure(response, bytes))
      // Connections of streams are not used again.
      fail(refused === undefined ? answer : toNotAnswered(refused, limits.responseBytesMax))
    },
  })
}

/**
 * The body of a redirect is not used: if it did not arrive with the head, the connection is ended.
 */
function dropBody(response: IncomingMessage, collecting: Collecting): void {
  const { bytes } = collecting
  response.on('data', (part: Buffer) => bytes.readBody(part.length))
  response.on('error', () => undefined)
  response.on('end', () => release(response, collecting))
  setImmediate(() => {
    if (!response.complete) response.destroy()
  })
}

function readHead({ rawHeaders, statusCode = 0 }: IncomingMessage): ResponseHead {
  const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text))
  return { status: statusCode, headers }
}

function readDeclaredBytes({ headers, status }: ResponseHead, method: string): number {
  const hasNone = method === 'HEAD' || status === 204 || status === 304
  return hasNone ? 0 : Number(findHeaderValue(headers, 'content-length') ?? 0)
}

function findEndFailure(
  { rawTrailers }: IncomingMessage,
  bytes: ResponseBytes,
): BodyFailure | undefined {
  if (rawTrailers.some((text, at) => at % 2 === 0 && FORBIDDEN_TRAILERS.has(text.toLowerCase()))) {
    return BAD_TRAILER
  }
  return bytes.bytesBeside() > CHUNKING_BYTES_MAX ? TOO_MUCH_CHUNKING : undefined
}

/** Headers that define a message's length or its connection must not arrive as trailers. */
const FORBIDDEN_TRAILERS: ReadonlySet<string> = new Set(
  'connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/**
 * Frees the connection. Ends it if bytes follow the answer, or if the request is not fully written.
 */
function release({ headers }: IncomingMessage, { bytes, line }: Collecting): void {
  if (line === undefined) return
  line.reader = undefined
  line.isReused = true
  const hasSurplus = headers['transfer-encoding'] === undefined && bytes.bytesBeside() > 0
  if (hasSurplus || line.socket.writableLength > 0) line.socket.destroy()
}

function readRedirect({ headers, status }: ResponseHead): Redirect | undefined {
  const redirect = { status, locations: listHeaderValues(headers, 'location').map(asUtf8) }
  return isRedirect(redirect) ? redirect : undefined
}

/** Decodes a value that is not ASCII, as it should be, the way browsers do. */
function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}
