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
import type { JsonService } from './json-service.ts'
import { BrokenAnswer, type ServiceAnswer, TimeoutError } from './service-error.ts'
import type { SignedHeaders } from './sign-request.ts'

export type Exchange = {
  send(request: { readonly headers: SignedHeaders; readonly body: string }): Promise<ServiceAnswer>
  /** Ends all connections. */
  close(): void
}

export type ExchangeOptions = {
  /** http or https, without a path. */
  readonly endpoint: URL
  /** A socket of this machine's file system that leads to `endpoint`. */
  readonly socketPath?: string | undefined
  /** In place of the service's own. */
  readonly requestTimeoutMs?: number | undefined
  /** Reads the wall clock. */
  readonly nowMs?: () => number
}

/** The services and the firewalls before them keep an idle connection for at least a minute. */
export const IDLE_SOCKET_MS = 50_000

/** How a service is waited for, and how its errors begin. */
export type ExchangeLimits = Pick<JsonService, 'label' | 'limits'>

export function httpExchange(
  { label, limits }: ExchangeLimits,
  options: ExchangeOptions,
): Exchange {
  const { endpoint, nowMs = Date.now, socketPath } = options
  const { requestTimeoutMs = limits.requestTimeoutMs } = options
  const isSecure = endpoint.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: limits.socketsMax, scheduling: 'lifo' } as const
  const agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool)
  const idle = watchIdle(agent, nowMs)
  const waits = { ...limits, isSecure, label, requestTimeoutMs }
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
      const answer = answerTo(request, waits)
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

type Waits = JsonService['limits'] & { readonly label: string; readonly isSecure: boolean }

function answerTo(request: ClientRequest, waits: Waits): Promise<ServiceAnswer> {
  const { connectionTimeoutMs, isSecure, requestTimeoutMs } = waits
  return new Promise((resolve, reject) => {
    const giveUp = (what: string, ms: number) =>
      setTimeout(() => fail(new TimeoutError(`${waits.label}: ${what} within ${ms} ms`)), ms)
    // Waiting for one of the connections in use counts as connecting.
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
      const done = (answer: ServiceAnswer) => {
        end()
        resolve(answer)
      }
      readBody(response, waits, { fail, done })
    })
  })
}

type Outcome = {
  readonly fail: (cause: Error) => void
  readonly done: (answer: ServiceAnswer) => void
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
