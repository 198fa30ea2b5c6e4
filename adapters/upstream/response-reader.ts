/**
 * Reads one HTTP/1 response from the bytes of a connection, in whatever pieces they arrive. Strict:
 * bytes that are not certainly an answer are a fault, and bytes after an answer end its connection.
 */
import { isRedirect, type Redirect } from '../../core/call/redirect.ts'
import type { Body, Sink, SinkFault } from './body-sink.ts'
import { bodyOf } from './response-body.ts'
import { type Framing, framingOf, type ResponseHead, readHead, valuesOf } from './response-head.ts'
import { NOWHERE, sinkFor } from './response-sink.ts'
import {
  bareLineEnd,
  framingFault,
  headFault,
  LONE_INTERIM,
  NOT_HTTP,
  SWITCHED,
  unreadable,
} from './unreadable.ts'

export type ResponseOutcome = Pick<ResponseHead, 'status' | 'headers'> & {
  readonly body: Sink
  /** A redirect's body is dropped: the reader does not wait for the rest of it. */
  readonly redirect: Redirect | undefined
  /** The connection may carry another request. */
  readonly isReusable: boolean
}

/** `broken`: the connection ended within the answer. */
export type ResponseFault = 'broken' | SinkFault

export type Progress = ResponseOutcome | ResponseFault | 'more'

export type ResponseReader = {
  push(bytes: Buffer): Progress
  /** The connection has ended. `more`: before the end of the head. */
  end(): Progress
  /** The caller no longer wants the answer. */
  drop(): void
}

/**
 * Limits status line and headers of an answer, together with the interim answers (1xx) before it.
 */
export const HEAD_BYTES_MAX = 32_768
const HEAD_TOO_LONG = unreadable(`sent headers over ${HEAD_BYTES_MAX} bytes`)
const HEAD_END = Buffer.from('\r\n\r\n')
const PROTOCOL = Buffer.from('HTTP/1.')

type ReadState = {
  readonly head: ResponseHead
  readonly sink: Sink
  readonly body: Body
  readonly redirect: Redirect | undefined
  readonly isDelimited: boolean
}

/** `onFault` receives a fault of a body that is still arriving. */
export function responseReader(
  method: string,
  bytesMax: number,
  onFault: (fault: SinkFault) => void,
): ResponseReader {
  let partialHead: Buffer | undefined
  let headBytes = 0
  /** Bytes of `partialHead` whose line ends are known to be right. */
  let checkedBytes = 0
  let state: ReadState | undefined

  const pushHead = (bytes: Buffer): Progress => {
    const all = partialHead === undefined ? bytes : Buffer.concat([partialHead, bytes])
    if (!beginsWithProtocol(all)) return NOT_HTTP
    const end = all.indexOf(HEAD_END)
    partialHead = end < 0 ? all : undefined
    const length = end < 0 ? all.length : end
    if (headBytes + length > HEAD_BYTES_MAX) return HEAD_TOO_LONG
    if (end < 0) return pushPartial(all)
    checkedBytes = 0
    headBytes += length
    return takeHead(all.toString('latin1', 0, end), all.subarray(end + HEAD_END.length))
  }
  /** A head with other line ends may never have the end that is waited for. */
  const pushPartial = (all: Buffer): Progress => {
    const fault = bareLineEnd(all, checkedBytes)
    checkedBytes = all.length - 1
    return fault ?? 'more'
  }
  const takeHead = (text: string, rest: Buffer): Progress => {
    const head = readHead(text)
    if (head === undefined) return headFault(text)
    // Judged for an interim answer too: it has no body (RFC 9112 section 6.3) and must not claim
    // one.
    const framing = framingOf(head, method)
    if (framing === undefined) return framingFault(head.headers)
    if (head.status === 101) return SWITCHED
    // After an interim answer that closes the connection, or one of HTTP/1.0, no final answer can
    // follow.
    if (head.status < 200) return head.keepsAlive ? pushHead(rest) : LONE_INTERIM
    state = begin(head, framing)
    return pushBody(state, rest)
  }
  const begin = (head: ResponseHead, framing: Framing): ReadState => {
    const redirect = redirectOf(head)
    const sink = redirect === undefined ? sinkFor(head.headers, bytesMax, onFault) : NOWHERE
    const body = bodyOf(framing, bytesMax, sink)
    return { head, sink, body, redirect, isDelimited: framing.kind !== 'until_close' }
  }
  return {
    push: (bytes) => (state === undefined ? pushHead(bytes) : pushBody(state, bytes)),
    end: () => {
      if (state === undefined) return 'more'
      return state.isDelimited ? 'broken' : received(state, false)
    },
    drop: () => state?.sink.drop(),
  }
}

/** True for the first bytes of it, too. */
function beginsWithProtocol(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, PROTOCOL.length)
  for (let at = 0; at < length; at += 1) if (bytes[at] !== PROTOCOL[at]) return false
  return true
}

function pushBody(state: ReadState, bytes: Buffer): Progress {
  const progress = state.body.take(bytes)
  const isWhole = progress === 'done' || progress === 'surplus'
  if (!isWhole && state.redirect === undefined) return progress
  return received(state, state.head.keepsAlive && progress === 'done')
}

function received({ head, redirect, sink }: ReadState, isReusable: boolean): ResponseOutcome {
  const { headers, status } = head
  return { status, headers, body: sink, redirect, isReusable }
}

function redirectOf({ headers, status }: ResponseHead): Redirect | undefined {
  if (status < 300 || status > 399) return undefined
  const redirect = { status, locations: valuesOf(headers, 'location').map(asUtf8) }
  return isRedirect(redirect) ? redirect : undefined
}

/** Decodes as browsers do when the value is not ASCII as it should be. */
function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}
