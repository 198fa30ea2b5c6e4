/**
 * HTTP for all clients of AWS except the SDK's: one request and its whole answer, over kept
 * connections. There are optional timeouts to connect, to the head of the answer and to its end.
 * Idle connections are dropped by the wall clock, because timers of a frozen function stop. No
 * request is sent twice.
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
  /** Lower-case names; `content-length` is added. */
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array | string | undefined
  readonly signal?: AbortSignal
  /** A longer answer is an error; default: that of the exchange. */
  readonly answerBytesMax?: number
}

export type HttpAnswer = {
  readonly status: number
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: Buffer
}

export type Exchange = {
  /**
   * Throws node's errors (also if `signal` aborts), `TimeoutError`, `BrokenAnswer` and
   * `AnswerTooLarge`.
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Ends all connections. */
  close(): void
}

export type ExchangeLimits = {
  /** Includes the wait for one of `socketsMax`. Undefined: until the request's signal aborts. */
  readonly connectionTimeoutMs?: number | undefined
  /**
   * To the head of an answer, and again to its end. Undefined: until the request's signal aborts.
   */
  readonly requestTimeoutMs?: number | undefined
  readonly socketsMax: number
  /** Shorter than the service and its firewalls keep an idle connection. */
  readonly idleSocketMs: number
  /** A longer answer is an error. */
  readonly answerBytesMax: number
}

export type ExchangeOptions = {
  /** Path of a Unix socket that replaces the host of each URL. */
  readonly socketPath?: string | undefined
  /** Reads the wall clock. */
  readonly nowMs?: () => number
}

/** No connection or answer in time; the SDK uses the same name. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** A broken answer: the request may have been carried out. */
export class BrokenAnswer extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BrokenAnswer'
  }
}

/** The whole answer would be longer than the request or the exchange allows. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** `label` begins the messages of errors. */
export function makeHttpExchange(
  label: string,
  limits: ExchangeLimits,
  { nowMs = Date.now, socketPath }: ExchangeOptions = {},
): Exchange {
  const pool = { keepAlive: true, maxSockets: limits.socketsMax, scheduling: 'lifo' } as const
  const dropIdle = { nowMs, idleMs: limits.idleSocketMs }
  const plain = makePool(new HttpAgent(pool), dropIdle)
  const secure = makePool(new HttpsAgent(pool), dropIdle)
  return {
    send: ({ answerBytesMax = limits.answerBytesMax, body, headers, method, signal, url }) => {
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
      const answer = readAnswer(request, { ...limits, answerBytesMax, isSecure, label })
      // Because the length is known, node writes head and body at once.
      request.end(body)
      return answer
    },
    close: () => {
      for (const { agent } of [plain, secure]) agent.destroy()
    },
  }
}

type Idle = { readonly nowMs: () => number; readonly idleMs: number }

/** Ends connections that were idle for too long, before one of them is used. */
function makePool(agent: HttpAgent, { idleMs, nowMs }: Idle) {
  const freeSinceMs = new WeakMap<object, number>()
  agent.on('free', (socket: Socket) => freeSinceMs.set(socket, nowMs()))
  return {
    agent,
    current: () => {
      const untilMs = nowMs() - idleMs
      for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
        if ((freeSinceMs.get(socket) ?? 0) < untilMs) socket.destroy()
      }
      return agent
    },
  }
}

type Waits = ExchangeLimits & { readonly label: string; readonly isSecure: boolean }

function readAnswer(request: ClientRequest, waits: Waits): Promise<HttpAnswer> {
  const { connectionTimeoutMs, isSecure, requestTimeoutMs } = waits
  return new Promise((resolve, reject) => {
    const startTimeout = (what: string, ms: number | undefined) =>
      ms === undefined
        ? undefined
        : setTimeout(() => fail(new TimeoutError(`${waits.label}: ${what} within ${ms} ms`)), ms)
    const connecting = startTimeout('no connection', connectionTimeoutMs)
    let answering = startTimeout('no answer', requestTimeoutMs)
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
      answering = startTimeout('no end of the answer', requestTimeoutMs)
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
    if (bytes > answerBytesMax) {
      fail(new AnswerTooLarge(`${label}: an answer over ${answerBytesMax} bytes`))
    } else chunks.push(chunk)
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
