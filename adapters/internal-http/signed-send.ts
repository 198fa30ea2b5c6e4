/**
 * POSTs to a function URL with AWS_IAM, signed with the credentials that Lambda gives the function
 * (SigV4, service `lambda`), over kept connections. Never sends anything twice: the peer may have
 * begun to work. Compares wall-clock times to drop idle sockets, since a frozen function's timers
 * stand still.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { exchange } from '../aws/exchange.ts'
import { type Credentials, signRequest } from '../aws/sign-request.ts'
import type { InternalSend } from './peer-send.ts'

export type SignedSendOptions = {
  /** `lambda` by default. */
  readonly service?: 'events' | 'lambda'
  /** The function's URL; a path in it precedes the request's path. */
  readonly url: URL
  readonly region: string
  readonly credentials: Credentials
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Twice a 4 MB upstream answer as JSON text: it appears as text and as structured content. */
export const PEER_ANSWER_BYTES_MAX = 16_777_216
/** Well below the idle time after which AWS's front end closes a connection. */
const IDLE_SOCKET_MS = 4_000
const SOCKETS_MAX = 64

export function signedSend(options: SignedSendOptions): InternalSend {
  const { clock, credentials, region, service = 'lambda', url } = options
  const as = { service, region, credentials }
  const agent = agentFor(url)
  let lastUsedMs = clock.nowMs()
  return async (request, until) => {
    if (clock.nowMs() - lastUsedMs > IDLE_SOCKET_MS) dropIdle(agent)
    lastUsedMs = clock.nowMs()
    const timeout = AbortSignal.timeout(until.timeoutMs)
    const signal = until.signal === undefined ? timeout : AbortSignal.any([timeout, until.signal])
    try {
      const target = new URL(url.pathname.replace(/\/+$/, '') + request.path, url)
      const { body } = request
      const unsigned = { ...request.headers, 'content-length': String(body.length) }
      const posted = { method: 'POST', url: target, body }
      const headers = await signRequest(as, { ...posted, headers: unsigned }, clock.nowMs())
      const answerBytesMax = PEER_ANSWER_BYTES_MAX
      return await exchange({ ...posted, headers, agent, signal, answerBytesMax })
    } catch (cause) {
      throw new Fault('internal', `no answer from the peer function to ${request.path}`, cause)
    } finally {
      lastUsedMs = clock.nowMs()
    }
  }
}

function agentFor(url: URL): HttpAgent {
  const pool = {
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    scheduling: 'lifo',
    timeout: IDLE_SOCKET_MS,
  } as const
  return url.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool)
}

function dropIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}
