/**
 * Passes a request on to a door at another URL, and its answer back as the bytes come. Sends nothing twice,
 * because the door may have begun to work. Bound by RFC 9110 section 7.6.1 (headers of one connection) and ADR 0069.
 */
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { Fault } from '../../core/errors.ts'
import type { AgentRequest } from './agent-door.ts'
import { handedOver } from './answer.ts'
import type { FunctionUrlEvent, ResponseStream } from './events.ts'
import { startResponse } from './lambda-stream.ts'

export type PassOnOptions = {
  /** Only its origin counts: the path is the request's. */
  readonly to: URL
  /** Connections at once. */
  readonly socketsMax: number
}

/** Well below the idle time after which AWS's front end closes a connection. */
const IDLE_SOCKET_MS = 4_000

/** They belong to one connection, or are made anew. `origin` was judged by the door that passes on. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Rejects with a Fault when there is no answer that can be passed back; an answer that breaks off ends the response
 * as it is. A client that leaves ends the request too, which is no fault.
 */
export function passOn({ socketsMax, to }: PassOnOptions): (asked: AgentRequest) => Promise<void> {
  const isPlain = to.protocol === 'http:'
  const pool = { keepAlive: true, maxSockets: socketsMax, timeout: IDLE_SOCKET_MS }
  const agent = isPlain ? new PlainAgent(pool) : new TlsAgent(pool)
  const request = isPlain ? plainRequest : tlsRequest
  return async ({ cors, event, out }) => {
    // The client left before this request began, so `close` would never come.
    if (out.destroyed) return
    const body = bodyOf(event)
    const { method } = event.requestContext.http
    const headers = { ...passed(event.headers), ...lengthOf(method, body) }
    const url = new URL(pathOf(event), to)
    const answer = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
      const sent = request(url, { agent, headers, method }, resolve)
      const failed = (cause?: unknown) => {
        if (out.destroyed) return resolve(undefined)
        reject(new Fault('internal', 'no answer from the door behind this one', cause))
      }
      // `on`, not `once`: a second error must not become an uncaught one.
      sent.on('error', failed)
      // Without an error where the answer switches protocols.
      sent.once('close', () => failed())
      out.once('close', () => sent.destroy())
      sent.end(body)
    })
    if (answer === undefined) return
    const head = { statusCode: statusOf(answer), headers: { ...answerHeaders(answer), ...cors } }
    await relay(answer, startResponse(out, head))
  }
}

/** A path that begins with two slashes would name another host to `new URL`. */
function pathOf({ rawPath, rawQueryString }: FunctionUrlEvent): string {
  const path = `/${rawPath.replace(/^\/+/, '')}`
  return rawQueryString === '' ? path : `${path}?${rawQueryString}`
}

function bodyOf({ body = '', isBase64Encoded }: FunctionUrlEvent): Buffer {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
}

/** RFC 9110 section 8.6: a GET without a body states no length. */
function lengthOf(method: string, { length }: Buffer): { readonly [name: string]: string } {
  return length === 0 && method !== 'POST' ? {} : { 'content-length': String(length) }
}

function passed(headers: { readonly [name: string]: string }): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED.has(name)))
}

/** Node refuses to send some that it reads, by an exception when the answer is already under way. */
function statusOf({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode >= 200 && statusCode <= 599) return statusCode
  throw new Fault('internal', `the door behind this one answered with the status ${statusCode}`)
}

function answerHeaders({ headers }: IncomingMessage): Record<string, string> {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : value]],
  )
  return passed(Object.fromEntries(texts.flatMap(withoutPlatform)))
}

/** A function URL renames headers that it keeps for itself, and adds its own. */
function withoutPlatform([name, value]: [string, string]): [string, string][] {
  if (name.startsWith(REMAPPED)) return [[name.slice(REMAPPED.length), value]]
  return name.startsWith('x-amzn-') || name.startsWith('x-amz-') ? [] : [[name, value]]
}

/** `www-authenticate` comes as `x-amzn-remapped-www-authenticate`. */
const REMAPPED = 'x-amzn-remapped-'

async function relay(answer: IncomingMessage, out: ResponseStream): Promise<void> {
  const done = handedOver(out)
  // The head of a stream leaves before its first event, which may take a while.
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) out.write('')
  out.on('drain', () => answer.resume())
  answer.on('data', (chunk: Buffer) => {
    if (!out.write(chunk)) answer.pause()
  })
  // Also after an answer that broke off: the client misses its reply and asks again.
  answer.once('close', () => {
    if (!out.writableEnded) out.end()
  })
  await done
}
