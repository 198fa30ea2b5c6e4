/**
 * The HTTP of all clients of AWS that are not the SDK's: one request and its whole answer, over kept connections. Gives up after
 * a time to connect, a time to the head of the answer and a time to its end, where the client has them. Compares wall-clock
 * times to drop idle connections, since a frozen function's timers stand still. Never sends anything twice.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { crc32 } from 'node:zlib'

export type HttpRequest = {
  readonly method: string
  /** http or https. */
  readonly url: URL
  /** Lower-case names. The length of the body is added. */
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array | string | undefined
  readonly signal?: AbortSignal
}

export type HttpAnswer = {
  readonly status: number
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: Buffer
}

export type Exchange = {
  /** Throws node's errors, `TimeoutError` and `BrokenAnswer`, also where `signal` aborts. */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Ends all connections. */
  close(): void
}

export type ExchangeLimits = {
  /** Waiting for one of `socketsMax` counts as connecting. Undefined: until the signal of a request. */
  readonly connectionTimeoutMs?: number | undefined
  /** To the head of an answer, and again to its end. Undefined: until the signal of a request. */
  readonly requestTimeoutMs?: number | undefined
  readonly socketsMax: number
  /** Shorter than the service and the firewalls before it keep an idle connection. */
  readonly idleSocketMs: number
  /** A longer answer is an error. */
  readonly answerBytesMax: number
}

export type ExchangeOptions = {
  /** A socket of this machine's file system in place of the host of each URL. */
  readonly socketPath?: string | undefined
  /** Reads the wall clock. */
  readonly nowMs?: () => number
}

/** A connection or an answer that did not come in time, under the SDK's name for it. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** A broken answer of a request that was carried out or not. */
export class BrokenAnswer extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BrokenAnswer'
  }
}

/** `label` begins the messages of errors. */
export function httpExchange(
  label: string,
  limits: ExchangeLimits,
  { nowMs = Date.now, socketPath }: ExchangeOptions = {},
): Exchange {
  const pool = { keepAlive: true, maxSockets: limits.socketsMax, scheduling: 'lifo' } as const
  const dropIdle = { nowMs, idleMs: limits.idleSocketMs }
  const plain = pooled(new HttpAgent(pool), dropIdle)
  const secure = pooled(new HttpsAgent(pool), dropIdle)
  return {
    send: ({ body, headers, method, signal, url }) => {
      const isSecure = url.protocol === 'https:'
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const request = (isSecure ? httpsRequest : httpRequest)({
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, ...length },
        agent: (isSecure ? secure : plain).current(),
        ...(signal === undefined ? {} : { signal }),
        ...(socketPath === undefined ? {} : { socketPath }),
      })
      const answer = answerTo(request, { ...limits, isSecure, label })
      // With its length known, node writes head and body at once.
      request.end(body)
      return answer
    },
    close: () => {
      for (const { agent } of [plain, secure]) agent.destroy()
    },
  }
}

type Idle = { readonly nowMs: () => number; readonly idleMs: number }

/** Connections that have been idle for too long by the wall clock are ended before one of them is used. */
function pooled(agent: HttpAgent, { idleMs, nowMs }: Idle) {
  const sinceMs = new WeakMap<object, number>()
  agent.on('free', (socket: Socket) => sinceMs.set(socket, nowMs()))
  return {
    agent,
    current: () => {
      const untilMs = nowMs() - idleMs
      for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
        if ((sinceMs.get(socket) ?? 0) < untilMs) socket.destroy()
      }
      return agent
    },
  }
}

type Waits = ExchangeLimits & { readonly label: string; readonly isSecure: boolean }

function answerTo(request: ClientRequest, waits: Waits): Promise<HttpAnswer> {
  const { connectionTimeoutMs, isSecure, requestTimeoutMs } = waits
  return new Promise((resolve, reject) => {
    const giveUp = (what: string, ms: number | undefined) =>
      ms === undefined
        ? undefined
        : setTimeout(() => fail(new TimeoutError(`${waits.label}: ${what} within ${ms} ms`)), ms)
    const connecting = giveUp('no connection', connectionTimeoutMs)
    let answering = giveUp('no answer', requestTimeoutMs)
    const end = () => {
      clearTimeout(connecting)
      clearTimeout(answering)
    }
    const fail = (cause: Error) => {
      end()
      reject(cause)
      request.destroy()
    }
    request.once('socket', (socket) => {
      if (!socket.connecting) return clearTimeout(connecting)
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
    request.on('error', fail)
    request.once('response', (response) => {
      clearTimeout(answering)
      answering = giveUp('no end of the answer', requestTimeoutMs)
      const done = (answer: HttpAnswer) => {
        end()
        resolve(answer)
      }
      readBody(response, waits, { fail, done })
    })
  })
}

type Outcome = {
  readonly fail: (cause: Error) => void
  readonly done: (answer: HttpAnswer) => void
}

function readBody(
  response: IncomingMessage,
  { answerBytesMax, label }: Waits,
  { done, fail }: Outcome,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerBytesMax) fail(new Error(`${label}: an answer over ${answerBytesMax} bytes`))
    else chunks.push(chunk)
  })
  response.on('error', fail)
  response.once('end', () => {
    const [first, ...rest] = chunks
    const body = first !== undefined && rest.length === 0 ? first : Buffer.concat(chunks)
    const { headers, statusCode = 0 } = response
    const sum = headers['x-amz-crc32']
    if (sum !== undefined && Number(sum) !== crc32(body)) {
      fail(new BrokenAnswer(`${label}: the answer’s bytes have another CRC-32 than its head says`))
    } else done({ status: statusCode, headers, body })
  })
}
