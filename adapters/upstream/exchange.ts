/**
 * One request, one answer: settles exactly once, whether by the answer, an error of the connection,
 * or the caller's signal, which cuts at any moment, a trickling body included.
 */
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import { type Connection, type Connections, IDLE_MS_MAX, type Reader } from './connections.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { readResponse } from './read-response.ts'
import { valuesOf } from './response-head.ts'
import {
  type Progress,
  type Received,
  type ResponseFault,
  responseReader,
} from './response-reader.ts'
import { errorCode, whyNoAnswer, whyUnreachable } from './unreachable.ts'

export type Exchange = {
  readonly url: URL
  readonly request: UpstreamRequest
  readonly headers: OutgoingHeaders
  readonly over: { readonly connections: Connections; readonly how: 'any' | 'new' }
  readonly limits: { readonly responseBytesMax: number; readonly signal: AbortSignal }
}

export type Exchanged = {
  /** `stale_socket`: a kept connection died before a byte came; another one may do better. */
  readonly kind: 'done' | 'stale_socket'
  readonly answer: UpstreamAnswer
}

/** A server's own word on how long it keeps a connection, less the time of our way to it. */
const KEEP_ALIVE_MARGIN_MS = 1_000

export function exchange(sending: Exchange): Promise<Exchanged> {
  const { connections, how } = sending.over
  const { signal } = sending.limits
  return new Promise((resolve) => {
    let connection: Connection | undefined
    let isSettled = false
    const settle: Settle = (exchanged) => {
      isSettled = true
      signal.removeEventListener('abort', cut)
      resolve(exchanged)
    }
    const cut = () => {
      settle({ kind: 'done', answer: { kind: 'cut' } })
      if (connection !== undefined) end(connection)
    }
    signal.addEventListener('abort', cut)
    connections.take(sending.url, how, (taken) => {
      if (isSettled) return connections.keep(taken, taken.isReused ? IDLE_MS_MAX : 0)
      connection = taken
      taken.reader = readerOf(taken, sending, settle)
      write(taken, sending)
    })
  })
}

type Settle = (exchanged: Exchanged | Promise<Exchanged>) => void

function readerOf(connection: Connection, sending: Exchange, settle: Settle): Reader {
  const { responseBytesMax } = sending.limits
  const reader = responseReader(sending.request.method, responseBytesMax)
  let hasBegun = false
  const judge = (progress: Progress) => {
    if (progress === 'more') return
    if (typeof progress === 'string') {
      settle({ kind: 'done', answer: answerOfFault(progress, responseBytesMax) })
      return end(connection)
    }
    settle(answerOf(progress, responseBytesMax))
    sending.over.connections.keep(connection, progress.isReusable ? idleMsOf(progress) : 0)
  }
  return {
    data: (bytes) => {
      hasBegun = true
      judge(reader.push(bytes))
    },
    closed: (cause) => {
      const rest = reader.end()
      if (rest !== 'more') return judge(cause === undefined ? rest : 'broken')
      const isStale = connection.isReused && !hasBegun && isReset(cause)
      const answer = unreachable(whyUnreachable(cause))
      settle({ kind: isStale ? 'stale_socket' : 'done', answer })
    },
  }
}

/** Without a whole answer a connection is in no state for another request. */
function end(connection: Connection): void {
  connection.reader = undefined
  connection.socket.destroy()
}

/** Head and body in one write. */
function write({ socket }: Connection, { url, request, headers }: Exchange): void {
  let head = `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  head += 'connection: keep-alive\r\n\r\n'
  if (request.body === undefined) return void socket.write(head, 'latin1')
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(request.body)
  socket.uncork()
}

async function answerOf(received: Received, bytesMax: number): Promise<Exchanged> {
  return { kind: 'done', answer: await readResponse(received, bytesMax) }
}

function answerOfFault(fault: ResponseFault, bytesMax: number): UpstreamAnswer {
  return fault === 'too_large' ? { kind: 'too_large', bytesMax } : unreachable(whyNoAnswer(fault))
}

function idleMsOf({ headers }: Received): number {
  const said = /\btimeout=(\d{1,9})/i.exec(valuesOf(headers, 'keep-alive')[0] ?? '')?.[1]
  if (said === undefined) return IDLE_MS_MAX
  return Math.min(IDLE_MS_MAX, Number(said) * 1_000 - KEEP_ALIVE_MARGIN_MS)
}

function isReset(cause: unknown): boolean {
  return cause === undefined || ['ECONNRESET', 'EPIPE'].includes(errorCode(cause))
}

function unreachable(detail: string): UpstreamAnswer {
  return { kind: 'unreachable', detail }
}
