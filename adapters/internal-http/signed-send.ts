/**
 * POSTs to a function URL with AWS_IAM, signed with the credentials that Lambda gives the function
 * (SigV4, service `lambda`), over kept connections. No request is sent twice, because the peer may
 * have begun to work.
 */
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { makeHttpExchange } from '../aws/exchange.ts'
import { type Credentials, makeSigner } from '../aws/sign-request.ts'
import type { InternalSend } from './peer-send.ts'

export type SignedSendOptions = {
  /** Default: `lambda`. */
  readonly service?: 'events' | 'lambda' | 'ses'
  /** The function's URL; a path in it precedes the request's path. */
  readonly url: URL
  readonly region: string
  readonly credentials: Credentials
  readonly clock: Pick<Clock, 'nowMs'>
}

/** An upstream's 4 MB twice as JSON text: as text content and as structured content. */
export const PEER_ANSWER_BYTES_MAX = 16_777_216
/** Far below the idle time after which AWS's front end closes a connection. */
const IDLE_SOCKET_MS = 4_000
const LIMITS = {
  socketsMax: 64,
  idleSocketMs: IDLE_SOCKET_MS,
  answerBytesMax: PEER_ANSWER_BYTES_MAX,
} as const

export function makeSignedSend(options: SignedSendOptions): InternalSend {
  const { clock, credentials, region, service = 'lambda', url } = options
  const sign = makeSigner(service, region)
  const exchange = makeHttpExchange('peer', LIMITS, { nowMs: () => clock.nowMs() })
  return async (request, until) => {
    const timeout = AbortSignal.timeout(until.timeoutMs)
    const signal = until.signal === undefined ? timeout : AbortSignal.any([timeout, until.signal])
    try {
      const target = new URL(url.pathname.replace(/\/+$/, '') + request.path, url)
      const posted = { method: 'POST', url: target, headers: request.headers, body: request.body }
      const headers = sign(posted, credentials, clock.nowMs())
      return await exchange.send({ ...posted, headers, signal })
    } catch (cause) {
      throw new Fault('internal', `no answer from the peer function to ${request.path}`, cause)
    }
  }
}
