/**
 * One HTTP request and its whole answer, over kept connections. Gives up after a time to connect, a time to the
 * head of the answer and a time to its end. Compares wall-clock times to drop idle connections, since a frozen
 * function's timers stand still. Never sends anything twice.
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
import { CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from '../limits.ts'
import type { SignedHeaders } from './sign-request.ts'
import { BrokenAnswer, type StoreAnswer, TimeoutError } from './store-error.ts'

export type Exchange = {
  send(request: { readonly headers: SignedHeaders; readonly body: string }): Promise<StoreAnswer>
  /** Ends all connections. */
  close(): void
}

export type ExchangeOptions = {
  /** http or https, without a path. */
  readonly endpoint: URL
  /** A socket of this machine's file system that leads to `endpoint`. */
  readonly socketPath?: string | undefined
  readonly requestTimeoutMs?: number | undefined
  /** Reads the wall clock. */
  readonly nowMs?: () => number
}

/** DynamoDB and the firewalls before it keep an idle connection for at least a minute. */
export const IDLE_SOCKET_MS = 50_000
/** DynamoDB's answers end at 16 MB of items, which base64 makes 22 MB. */
export const ANSWER_BYTES_MAX = 33_554_432

export function httpExchange(options: ExchangeOptions): Exchange {
  const { endpoint, nowMs = Date.now, requestTimeoutMs = REQUEST_TIMEOUT_MS, socketPath } = options
  const isSecure = endpoint.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: SOCKETS_MAX, scheduling: 'lifo' } as const
  const agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool)
  const idle = watchIdle(agent, nowMs)
  const target = {
    host: endpoint.hostname.replace(/^\[|\]$/g, ''),
    port: endpoint.port,
    method: 'POST',
    path: '/',
    agent,
    ...(socketPath === undefined ? {} : { socketPath }),
  }
  return {
    send: ({ body, headers }) => {
      idle.dropOld()
      const length = { 'content-length': Buffer.byteLength(body) }
      const request = (isSecure ? httpsRequest : httpRequest)({
        ...target,
        headers: { ...headers, ...length },
      })
      const answer = answerTo(request, { requestTimeoutMs, isSecure })
      // With its length known, node writes head and body at once.
      request.end(body)
      return answer
    },
    close: () => agent.destroy(),
  }
}

/** Connections that have been idle for too long by the wall clock, ended before one of them is used. */
function watchIdle(agent: HttpAgent, nowMs: () => number): { dropOld(): void } {
  const sinceMs = new WeakMap<object, number>()
  agent.on('free', (socket: Socket) => sinceMs.set(socket, nowMs()))
  return {
    dropOld: () => {
      const untilMs = nowMs() - IDLE_SOCKET_MS
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of [...(sockets ?? [])]) {
          if ((sinceMs.get(socket) ?? 0) < untilMs) socket.destroy()
        }
      }
    },
  }
}

type Waits = { readonly requestTimeoutMs: number; readonly isSecure: boolean }

function answerTo(
  request: ClientRequest,
  { isSecure, requestTimeoutMs }: Waits,
): Promise<StoreAnswer> {
  return new Promise((resolve, reject) => {
    const giveUp = (what: string, ms: number) =>
      setTimeout(() => fail(new TimeoutError(`${what} within ${ms} ms`)), ms)
    // Waiting for one of the connections in use counts as connecting.
    const connecting = giveUp('store: no connection', CONNECTION_TIMEOUT_MS)
    let answering = giveUp('store: no answer', requestTimeoutMs)
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
      answering = giveUp('store: no end of the answer', requestTimeoutMs)
      readBody(response, fail, (answer) => {
        end()
        resolve(answer)
      })
    })
  })
}

function readBody(
  response: IncomingMessage,
  fail: (cause: Error) => void,
  done: (answer: StoreAnswer) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) fail(new Error(`store: an answer over ${ANSWER_BYTES_MAX} bytes`))
    else chunks.push(chunk)
  })
  response.on('error', fail)
  response.once('end', () => {
    const [first, ...rest] = chunks
    const body = first !== undefined && rest.length === 0 ? first : Buffer.concat(chunks)
    const { headers, statusCode = 0 } = response
    const sum = headers['x-amz-crc32']
    if (sum !== undefined && Number(sum) !== crc32(body)) {
      fail(new BrokenAnswer('store: the answer’s bytes have another CRC-32 than its head says'))
    } else done({ status: statusCode, headers, body })
  })
}
