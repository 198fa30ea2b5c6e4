/**
 * One HTTP/1 response out of the bytes of a connection, however they are cut. Strict: what is not
 * certainly an answer is a fault, and an answer after which anything came ends its connection.
 */
import { isRedirect, type Redirect } from '../../core/call/redirect.ts'
import type { Body, Sink, SinkFault } from './body-sink.ts'
import { bodyOf } from './response-body.ts'
import { type Framing, framingOf, type ResponseHead, readHead, valuesOf } from './response-head.ts'
import { NOWHERE, sinkFor } from './response-sink.ts'

export type ResponseOutcome = Pick<ResponseHead, 'status' | 'headers'> & {
  readonly body: Sink
  /** A redirect's body is nobody's: what of it has not come is not waited for. */
  readonly redirect: Redirect | undefined
  /** The connection may carry another request. */
  readonly isReusable: boolean
}

/** `switched`: to another protocol, which was not asked for. */
export type ResponseFault = 'not_http' | 'head_too_long' | 'switched' | 'broken' | SinkFault

export type Progress = ResponseOutcome | ResponseFault | 'more'

export type ResponseReader = {
  push(bytes: Buffer): Progress
  /** The connection has ended. `more`: not even a head had come. */
  end(): Progress
  /** Nobody wants the answer any more. */
  drop(): void
}

/** Status line and headers of an answer, with the interim ones (1xx) before it. */
export const HEAD_BYTES_MAX = 32_768
const HEAD_END = '\r\n\r\n'
const PROTOCOL = 'HTTP/1.'

type ReadState = {
  readonly head: ResponseHead
  readonly sink: Sink
  readonly body: Body
  readonly redirect: Redirect | undefined
  readonly isDelimited: boolean
}

/** `onFault` hears of what is wrong with a body that is still coming. */
export function responseReader(
  method: string,
  bytesMax: number,
  onFault: (fault: SinkFault) => void,
): ResponseReader {
  let held: Buffer | undefined
  let headBytes = 0
  let begun: ReadState | undefined

  const pushHead = (bytes: Buffer): Progress => {
    const all = held === undefined ? bytes : Buffer.concat([held, bytes])
    if (!PROTOCOL.startsWith(all.toString('latin1', 0, PROTOCOL.length))) return 'not_http'
    const end = all.indexOf(HEAD_END)
    held = end < 0 ? all : undefined
    const length = end < 0 ? all.length : end
    if (headBytes + length > HEAD_BYTES_MAX) return 'head_too_long'
    if (end < 0) return 'more'
    headBytes += length
    return takeHead(readHead(all.toString('latin1', 0, end)), all.subarray(end + HEAD_END.length))
  }
  const takeHead = (head: ResponseHead | undefined, rest: Buffer): Progress => {
    // Of an interim answer too: it has no body (RFC 9112 section 6.3), and must not lie about one.
    const framing = head === undefined ? undefined : framingOf(head, method)
    if (head === undefined || framing === undefined) return 'not_http'
    if (head.status === 101) return 'switched'
    // One that closes, or of HTTP/1.0, cannot have another answer behind it.
    if (head.status < 200) return head.keepsAlive ? pushHead(rest) : 'not_http'
    begun = begin(head, framing)
    return pushBody(begun, rest)
  }
  const begin = (head: ResponseHead, framing: Framing): ReadState => {
    const redirect = redirectOf(head)
    const sink = redirect === undefined ? sinkFor(head.headers, bytesMax, onFault) : NOWHERE
    const body = bodyOf(framing, bytesMax, sink)
    return { head, sink, body, redirect, isDelimited: framing.kind !== 'until_close' }
  }
  return {
    push: (bytes) => (begun === undefined ? pushHead(bytes) : pushBody(begun, bytes)),
    end: () => {
      if (begun === undefined) return 'more'
      return begun.isDelimited ? 'broken' : received(begun, false)
    },
    drop: () => begun?.sink.drop(),
  }
}

function pushBody(begun: ReadState, bytes: Buffer): Progress {
  const taken = begun.body.take(bytes)
  const isWhole = taken === 'done' || taken === 'surplus'
  if (!isWhole && begun.redirect === undefined) return taken
  return received(begun, begun.head.keepsAlive && taken === 'done')
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

/** As browsers read it, where it is not ASCII as it should be. */
function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}
