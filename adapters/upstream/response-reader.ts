/**
 * One HTTP/1 response out of the bytes of a connection, however they are cut. Strict: what is not
 * certainly an answer is a fault, and an answer after which anything came ends its connection.
 */
import type { Body } from './body-parts.ts'
import { bodyOf } from './response-body.ts'
import { framingOf, type ResponseHead, readHead } from './response-head.ts'

export type Received = Pick<ResponseHead, 'status' | 'headers'> & {
  readonly body: Buffer
  /** The connection may carry another request. */
  readonly isReusable: boolean
}

/** `switched`: to another protocol, which was not asked for. */
export type ResponseFault = 'not_http' | 'head_too_long' | 'switched' | 'broken' | 'too_large'

export type Progress = Received | ResponseFault | 'more'

export type ResponseReader = {
  push(bytes: Buffer): Progress
  /** The connection has ended. `more`: not even a head had come. */
  end(): Progress
}

/** Status line and headers of an answer, with the interim ones (1xx) before it. */
export const HEAD_BYTES_MAX = 32_768
const HEAD_END = '\r\n\r\n'
const PROTOCOL = 'HTTP/1.'

export function responseReader(method: string, bytesMax: number): ResponseReader {
  let held: Buffer | undefined
  let headBytes = 0
  let head: ResponseHead | undefined
  let body: Body | undefined
  let isDelimited = true

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
  const takeHead = (read: ResponseHead | undefined, rest: Buffer): Progress => {
    if (read === undefined) return 'not_http'
    if (read.status === 101) return 'switched'
    if (read.status < 200) return pushHead(rest)
    head = read
    return beginBody(read, rest)
  }
  const beginBody = (of: ResponseHead, rest: Buffer): Progress => {
    const framing = framingOf(of, method)
    if (framing === undefined) return 'not_http'
    isDelimited = framing.kind !== 'until_close'
    body = bodyOf(framing, bytesMax)
    return pushBody(of, body, rest)
  }
  const pushBody = (of: ResponseHead, into: Body, bytes: Buffer): Progress => {
    const taken = into.take(bytes)
    if (taken !== 'done' && taken !== 'surplus') return taken
    return received(of, into, of.keepsAlive && taken === 'done')
  }
  return {
    push: (bytes) =>
      head !== undefined && body !== undefined ? pushBody(head, body, bytes) : pushHead(bytes),
    end: () => {
      if (head === undefined || body === undefined) return 'more'
      return isDelimited ? 'broken' : received(head, body, false)
    },
  }
}

function received(head: ResponseHead, body: Body, isReusable: boolean): Received {
  return { status: head.status, headers: head.headers, body: body.bytes(), isReusable }
}
