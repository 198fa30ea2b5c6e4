/**
 * One request, one answer: settles exactly once, whether by the answer, an error of the connection,
 * or the caller's signal, which cuts at any moment, a trickling body included.
 */
import { type ClientRequest, type Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { readResponse } from './read-response.ts'
import { errorCode, whyUnreachable } from './unreachable.ts'

export type Exchange = {
  readonly url: URL
  readonly request: UpstreamRequest
  readonly headers: OutgoingHeaders
  /** false: a socket of its own. */
  readonly agent: HttpAgent | HttpsAgent | false
  readonly limits: { readonly responseBytesMax: number; readonly signal: AbortSignal }
}

export type Exchanged = {
  /** `stale_socket`: a kept socket died before a byte came; another one may do better. */
  readonly kind: 'done' | 'stale_socket'
  readonly answer: UpstreamAnswer
}

/** Status line and headers of an answer. Past it the parser gives up. */
const RESPONSE_HEADER_BYTES_MAX = 32_768

export function exchange(sending: Exchange): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { request, limits } = sending
    const outgoing = start(sending)
    const settle = (answer: UpstreamAnswer, kind: Exchanged['kind'] = 'done') => {
      limits.signal.removeEventListener('abort', cut)
      resolve({ kind, answer })
      // A body that nobody will read would hold its socket.
      if (answer.kind !== 'answered') outgoing.destroy()
    }
    const cut = () => settle({ kind: 'cut' })
    let responded = false
    const fail = (cause: unknown) => {
      if (responded) return
      settle({ kind: 'unreachable', detail: whyUnreachable(cause) }, staleness(outgoing, cause))
    }
    limits.signal.addEventListener('abort', cut)
    outgoing.on('error', fail)
    // Without an error when the upstream wants another protocol (101): node then just hangs up.
    outgoing.on('close', () => fail(undefined))
    outgoing.once('response', (incoming) => {
      responded = true
      void readResponse(incoming, limits.responseBytesMax).then((answer) => settle(answer))
    })
    outgoing.end(request.body)
  })
}

function start({ url, request, headers, agent }: Exchange): ClientRequest {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const { method } = request
  return send(url, { method, headers, agent, maxHeaderSize: RESPONSE_HEADER_BYTES_MAX })
}

function staleness(outgoing: ClientRequest, cause: unknown): Exchanged['kind'] {
  const reset = ['ECONNRESET', 'EPIPE'].includes(errorCode(cause))
  return outgoing.reusedSocket && reset ? 'stale_socket' : 'done'
}
