/**
 * One request and its answer, by node's HTTP client. It settles exactly once: by the answer, by an
 * error of the connection, or by the caller's signal, which cuts at any moment, even within a slow
 * body. A cut, or an answer over its limits, ends the connection at once.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../core/ports/outside.ts'
import type { Target } from '../../core/request/check-target.ts'
import { REFUSED_ADDRESS } from './checked-address.ts'
import { type AnswerOutcome, BROKEN_ANSWER, collectAnswer } from './collect-answer.ts'
import type { Connections } from './connections.ts'
import type { Line } from './origin-agent.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { toNotAnswered } from './read-response.ts'
import type { BodyFailure } from './response-body.ts'
import { countResponseBytes } from './response-bytes.ts'
import {
  describeUnreachable,
  NOT_PUBLIC_ADDRESS,
  REFUSED_LISTED_ADDRESS,
  readErrorCode,
} from './unreachable.ts'
import { SWITCHED } from './unreadable.ts'

export type Exchange = {
  readonly to: Target
  readonly request: UpstreamRequest
  readonly headers: OutgoingHeaders
  readonly connections: Connections
  readonly limits: UpstreamLimits
}

export type ExchangeOutcome =
  | AnswerOutcome
  /** A reused connection ended before a byte of the answer arrived; a new connection may work. */
  | { readonly kind: 'stale_socket'; readonly answer: UpstreamAnswer }

type Finish = (outcome: ExchangeOutcome) => void

/** Never rejects. */
export function exchange(sending: Exchange): Promise<ExchangeOutcome> {
  const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>()
  const { connections, headers, limits, request, to } = sending
  const hasBody = request.body !== undefined || !isBodiless(request.method)
  const sender = { uid: limits.uid, hasBody }
  const outgoing = connections.begin(to, { method: request.method, headers }, sender)
  const finish: Finish = (outcome) => {
    clearTimeout(late)
    limits.signal.removeEventListener('abort', cut)
    resolve(outcome)
  }
  const fail: Finish = (outcome) => {
    finish(outcome)
    outgoing.destroy()
  }
  const cut = () => fail({ kind: 'cut' })
  const { connectMsMax } = limits
  const late =
    connectMsMax === undefined ? undefined : setTimeout(() => fail(NOT_CONNECTED), connectMsMax)
  limits.signal.addEventListener('abort', cut)
  read(outgoing, sending, { finish, fail, connected: () => clearTimeout(late) })
  // Sent as bytes, because node would write the head of a text in the encoding of the text.
  outgoing.end(typeof request.body === 'string' ? Buffer.from(request.body) : request.body)
  return promise
}

const NOT_CONNECTED: UpstreamAnswer = {
  kind: 'unreachable',
  detail: 'did not accept the connection in time',
  neverConnected: true,
}

/** `fail` also ends the connection. */
type Ends = { readonly finish: Finish; readonly fail: Finish; readonly connected: () => void }

function read(
  outgoing: ClientRequest,
  { connections, limits, request, to }: Exchange,
  ends: Ends,
): void {
  const bytes = countResponseBytes()
  let line: Line | undefined
  let response: IncomingMessage | undefined
  const refuse = (failure: BodyFailure) =>
    ends.fail(toNotAnswered(failure, limits.responseBytesMax))

  outgoing.on('socket', (socket) => {
    line = connections.lineOf(socket)
    if (line === undefined) return
    const noteConnected = () => {
      ends.connected()
      limits.onStep?.('connected')
    }
    onConnected(line, noteConnected, socket)
    line.reader = (arrived) => {
      // Bytes after the answer belong to no request.
      if (response?.complete === true) return void socket.destroy()
      if (!bytes.hasBegun()) limits.onStep?.('first-byte')
      const failure = bytes.take(arrived)
      if (failure !== undefined) refuse(failure)
    }
  })
  outgoing.on('information', ({ statusCode }) => {
    const failure = statusCode === 101 ? SWITCHED : bytes.endHead('interim')
    if (failure !== undefined) refuse(failure)
  })
  outgoing.on('upgrade', () => refuse(SWITCHED))
  outgoing.on('response', (begun) => {
    response = begun
    const failure = begun.statusCode === 101 ? SWITCHED : bytes.endHead('final')
    if (failure !== undefined) return refuse(failure)
    collectAnswer(begun, { method: request.method, limits, bytes, line, ...ends })
  })
  outgoing.on('error', (cause) => {
    if (response?.complete === true) return
    const code = readErrorCode(cause)
    const reason = 'reason' in cause ? String(cause.reason) : ''
    if (code.startsWith('HPE_')) return refuse(bytes.whyRefused({ code, reason }))
    if (response !== undefined) return ends.fail(BROKEN_ANSWER)
    const answer = whyClosed(code, cause, { to, failedToOpen: line?.isOpen !== true })
    const isStale = line?.isReused === true && !bytes.hasBegun() && isReset(code)
    ends.finish(isStale ? { kind: 'stale_socket', answer } : answer)
  })
}

/** Calls `note` when the handshakes of the connection are complete. */
function onConnected(line: Line, note: () => void, socket: NodeJS.EventEmitter): void {
  if (line.isOpen) note()
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', note)
}

/** Methods with which no server expects a body, so no length is sent. */
function isBodiless(method: UpstreamRequest['method']): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** `failedToOpen`: the connection ended before its handshakes were complete. */
function whyClosed(
  code: string,
  cause: unknown,
  { failedToOpen, to }: { readonly failedToOpen: boolean; readonly to: Target },
): UpstreamAnswer {
  if (code === REFUSED_ADDRESS) {
    const detail = to.isAllowListed ? REFUSED_LISTED_ADDRESS : NOT_PUBLIC_ADDRESS
    return { kind: 'refused_target', detail }
  }
  const unreachable = { kind: 'unreachable', detail: describeUnreachable(cause) } as const
  const isUpstreamFailure = failedToOpen && !LOCAL_CODES.has(code)
  return isUpstreamFailure ? { ...unreachable, neverConnected: true } : unreachable
}

/** This host has no free file, port or memory, which says nothing about the upstream. */
const LOCAL_CODES: ReadonlySet<string> = new Set(
  'EMFILE ENFILE EADDRNOTAVAIL ENOBUFS ENOMEM'.split(' '),
)

function isReset(code: string): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE'
}
