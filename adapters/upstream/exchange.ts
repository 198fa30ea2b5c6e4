/**
 * One request and its answer. Settles exactly once: by the answer, by an error of the connection,
 * or by the caller's signal, which cuts at any moment, even within a trickling body. A cut, and an
 * answer past its limits, ends the connection at once.
 */
import { TLSSocket } from 'node:tls'
import type { Redirect } from '../../core/call/redirect.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../core/ports.ts'
import { REFUSED_ADDRESS } from './checked-address.ts'
import type { Connections } from './connections.ts'
import type { Destination } from './destination.ts'
import { type Connection, IDLE_MS_MAX } from './open-connection.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { answered, notAnswered } from './read-response.ts'
import { requestHead } from './request-head.ts'
import { firstValue } from './response-head.ts'
import { type Progress, type ResponseOutcome, responseReader } from './response-reader.ts'
import { errorCode, NOT_PUBLIC, whyUnreachable } from './unreachable.ts'

export type Exchange = {
  readonly to: Destination
  readonly request: UpstreamRequest
  readonly headers: OutgoingHeaders
  readonly over: { readonly connections: Connections; readonly wanted: 'any' | 'new' }
  readonly limits: UpstreamLimits
}

export type ExchangeOutcome =
  | UpstreamAnswer
  | (Redirect & { readonly kind: 'redirected' })
  /** A kept connection ended before a byte of the answer came; a new connection may work. */
  | { readonly kind: 'stale_socket'; readonly answer: UpstreamAnswer }

/** Subtracted from the server's own idle time, for the way of our next request to it. */
const KEEP_ALIVE_MARGIN_MS = 1_000

export function exchange(sending: Exchange): Promise<ExchangeOutcome> {
  const { connections, wanted } = sending.over
  const { signal } = sending.limits
  return new Promise((resolve) => {
    let abandon: (() => void) | undefined
    let isFinished = false
    const finish = (exchanged: ExchangeOutcome) => {
      if (isFinished) return
      isFinished = true
      signal.removeEventListener('abort', cut)
      resolve(exchanged)
    }
    const cut = () => {
      finish({ kind: 'cut' })
      abandon?.()
    }
    signal.addEventListener('abort', cut)
    const { request, to } = sending
    const hasBody = request.body !== undefined || !isBodiless(request.method)
    const sender = { uid: sending.limits.uid, hasBody }
    connections.take({ site: to.site, wanted, sender, signal }, (connection) => {
      if (isFinished) return connections.keep(connection, connection.isReused ? IDLE_MS_MAX : 0)
      abandon = read(connection, sending, finish)
      noteConnected(connection, sending.limits)
      write(connection, sending)
    })
  })
}

/** Answers a function that abandons the reading of an answer. */
function read(
  connection: Connection,
  sending: Exchange,
  finish: (exchanged: ExchangeOutcome) => void,
): () => void {
  const { connections } = sending.over
  const { responseBytesMax, showHeaders } = sending.limits
  let hasBegun = false
  const judge = (progress: Progress) => {
    if (progress === 'more') return
    if (typeof progress === 'string' || 'unreadable' in progress) {
      finish(notAnswered(progress, responseBytesMax))
      return abandon()
    }
    // Frees the connection first: a waiting request need not wait for the unpacking.
    connections.keep(connection, progress.isReusable ? idleMsOf(progress) : 0)
    sending.limits.onHeaders?.(progress.headers)
    const answer = answerOf(progress, { bytesMax: responseBytesMax, showHeaders })
    if (!(answer instanceof Promise)) return finish(answer)
    void answer.then((unpacked) => {
      finish(unpacked)
      if (unpacked.kind !== 'answered') connections.drop(connection)
    })
  }
  const reader = responseReader(sending.request.method, responseBytesMax, (fault) => {
    if (connection.reader === own) judge(fault)
  })
  const own = {
    data: (bytes: Buffer) => {
      if (!hasBegun) sending.limits.onStep?.('first-byte')
      hasBegun = true
      judge(reader.push(bytes))
    },
    closed: (cause: unknown) => {
      const rest = reader.end()
      if (rest !== 'more') return judge(cause === undefined ? rest : 'broken')
      const isStale = connection.isReused && !hasBegun && isReset(cause)
      const answer = whyClosed(cause, !connection.isOpen)
      finish(isStale ? { kind: 'stale_socket', answer } : answer)
    },
  }
  // Without a whole answer a connection cannot carry another request.
  const abandon = () => {
    reader.drop()
    if (connection.reader !== own) return
    connection.reader = undefined
    connection.socket.destroy()
  }
  connection.reader = own
  return abandon
}

type AnswerTerms = { readonly bytesMax: number } & Pick<UpstreamLimits, 'showHeaders'>

/** Waits for a packed body only; a plain body is complete. */
function answerOf(
  received: ResponseOutcome,
  { bytesMax, showHeaders }: AnswerTerms,
): ExchangeOutcome | Promise<ExchangeOutcome> {
  const { redirect } = received
  if (redirect !== undefined) return { kind: 'redirected', ...redirect }
  const whole = received.body.whole()
  if (!(whole instanceof Promise)) return answered(received, whole, showHeaders)
  return whole.then((body) =>
    Buffer.isBuffer(body) ? answered(received, body, showHeaders) : notAnswered(body, bytesMax),
  )
}

/** A new connection is open once its handshakes are done. */
function noteConnected({ isReused, socket }: Connection, { onStep }: UpstreamLimits): void {
  if (onStep === undefined) return
  if (isReused) onStep('connected')
  else
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () =>
      onStep('connected'),
    )
}

/** Writes head and body together. */
function write({ socket }: Connection, { to, request, headers }: Exchange): void {
  const head = requestHead(request.method, to, headers)
  if (request.body === undefined) return void socket.write(head, 'latin1')
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(request.body)
  socket.uncork()
}

/** Methods of which no server expects a body, so that none is told its length. */
function isBodiless(method: UpstreamRequest['method']): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** `failedToOpen`: the connection ended before its handshakes were done. */
function whyClosed(cause: unknown, failedToOpen: boolean): UpstreamAnswer {
  const code = errorCode(cause)
  if (code === REFUSED_ADDRESS) return { kind: 'refused_target', detail: NOT_PUBLIC }
  const unreachable = { kind: 'unreachable', detail: whyUnreachable(cause) } as const
  const isUpstreams = failedToOpen && !OUR_OWN.has(code)
  return isUpstreams ? { ...unreachable, neverConnected: true } : unreachable
}

/** This host has run out of files, ports or memory, which tells nothing about the upstream. */
const OUR_OWN: ReadonlySet<string> = new Set(
  'EMFILE ENFILE EADDRNOTAVAIL ENOBUFS ENOMEM'.split(' '),
)

function idleMsOf({ headers }: ResponseOutcome): number {
  const timeoutSec = /\btimeout=(\d{1,9})/i.exec(firstValue(headers, 'keep-alive') ?? '')?.[1]
  if (timeoutSec === undefined) return IDLE_MS_MAX
  return Math.min(IDLE_MS_MAX, Number(timeoutSec) * 1_000 - KEEP_ALIVE_MARGIN_MS)
}

function isReset(cause: unknown): boolean {
  return cause === undefined || ['ECONNRESET', 'EPIPE'].includes(errorCode(cause))
}
