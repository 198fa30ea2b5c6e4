/**
 * The answer of a response whose head has come: its body within the cap, or the next hop of a redirect. Lets node keep
 * the connection only after an answer that was whole and the last thing that came.
 */
import type { IncomingMessage } from 'node:http'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../core/ports/outside.ts'
import { isRedirect, type Redirect } from '../../core/request/redirect.ts'
import type { Line } from './origin-agent.ts'
import { answered, firstValue, notAnswered, type ResponseHead, valuesOf } from './read-response.ts'
import { type BodyFault, responseBody } from './response-body.ts'
import { CHUNKING_BYTES_MAX, type ResponseBytes, TOO_MUCH_CHUNKING } from './response-bytes.ts'
import { BAD_TRAILER } from './unreadable.ts'

export type AnswerOutcome = UpstreamAnswer | (Redirect & { readonly kind: 'redirected' })

export const BROKEN: UpstreamAnswer = {
  kind: 'unreachable',
  detail: 'broke off in the middle of its answer',
  hasPartialAnswer: true,
}

type Collecting = {
  readonly method: string
  readonly limits: Pick<UpstreamLimits, 'onHeaders' | 'responseBytesMax' | 'showHeaders'>
  readonly bytes: ResponseBytes
  readonly line: Line | undefined
  readonly finish: (outcome: AnswerOutcome) => void
  /** Ends the connection too. */
  readonly fail: (outcome: AnswerOutcome) => void
}

export function collectAnswer(response: IncomingMessage, collecting: Collecting): void {
  const head = headOf(response)
  const redirect = redirectOf(head)
  if (redirect === undefined) collectBody(response, head, collecting)
  else {
    dropBody(response, collecting)
    collecting.limits.onHeaders?.(head.headers)
    collecting.finish({ kind: 'redirected', ...redirect })
  }
}

function collectBody(response: IncomingMessage, head: ResponseHead, collecting: Collecting): void {
  const { bytes, fail, finish, limits, method } = collecting
  const { responseBytesMax } = limits
  const refuse = (fault: BodyFault) => fail(notAnswered(fault, responseBytesMax))
  // A declared length past the cap: wait for no byte of it.
  if (declaredBytes(head, method) > responseBytesMax) refuse('too_large')
  const encoding = valuesOf(head.headers, 'content-encoding').join(', ')
  const body = responseBody(encoding, responseBytesMax)
  response.on('data', (part: Buffer) => {
    bytes.readBody(part.length)
    const fault = body.add(part)
    if (fault !== undefined) refuse(fault)
  })
  response.on('error', () => fail(BROKEN))
  response.on('end', async () => {
    const fault = endFault(response, bytes)
    if (fault !== undefined) return refuse(fault)
    // Frees the connection first: a waiting request need not wait for the unpacking.
    release(response, collecting)
    limits.onHeaders?.(head.headers)
    const whole = await body.whole()
    if (Buffer.isBuffer(whole)) finish(answered(head, whole, limits.showHeaders))
    else finish(notAnswered(whole, responseBytesMax))
  })
}

/** Nobody waits for the body of a redirect: one that has not come with its head ends the connection. */
function dropBody(response: IncomingMessage, collecting: Collecting): void {
  const { bytes } = collecting
  response.on('data', (part: Buffer) => bytes.readBody(part.length))
  response.on('error', () => undefined)
  response.on('end', () => release(response, collecting))
  setImmediate(() => {
    if (!response.complete) response.destroy()
  })
}

function headOf({ rawHeaders, statusCode = 0 }: IncomingMessage): ResponseHead {
  const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text))
  return { status: statusCode, headers }
}

function declaredBytes({ headers, status }: ResponseHead, method: string): number {
  const hasNone = method === 'HEAD' || status === 204 || status === 304
  return hasNone ? 0 : Number(firstValue(headers, 'content-length') ?? 0)
}

function endFault({ rawTrailers }: IncomingMessage, bytes: ResponseBytes): BodyFault | undefined {
  if (rawTrailers.some((text, at) => at % 2 === 0 && NO_TRAILERS.has(text.toLowerCase()))) {
    return BAD_TRAILER
  }
  return bytes.bytesBeside() > CHUNKING_BYTES_MAX ? TOO_MUCH_CHUNKING : undefined
}

/** Headers that define a message's length or its connection must not arrive as trailers. */
const NO_TRAILERS: ReadonlySet<string> = new Set(
  'connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Ends a connection with bytes behind its answer, and one that still writes a request that was answered before its end. */
function release({ headers }: IncomingMessage, { bytes, line }: Collecting): void {
  if (line === undefined) return
  line.reader = undefined
  line.isReused = true
  const hasSurplus = headers['transfer-encoding'] === undefined && bytes.bytesBeside() > 0
  if (hasSurplus || line.socket.writableLength > 0) line.socket.destroy()
}

function redirectOf({ headers, status }: ResponseHead): Redirect | undefined {
  const redirect = { status, locations: valuesOf(headers, 'location').map(asUtf8) }
  return isRedirect(redirect) ? redirect : undefined
}

/** Decodes as browsers do when the value is not ASCII as it should be. */
function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}
