/**
 * Sends one request to a skill's upstream over node's own HTTP client (undici would cost 33 ms of
 * every cold start). Follows no redirect: a 3xx is an answer. Every way it can go is a value, since
 * money follows it; it throws on a bug only. Bound by design section 4 (Outbound safety).
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { checkTarget } from '../../core/call/check-target.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Upstream } from '../../core/ports.ts'
import { type Exchange, exchange } from './exchange.ts'
import { outgoingHeaders } from './outgoing-headers.ts'

export type HttpUpstreamOptions = {
  /** `host` or `host:port` for which http and private addresses are allowed. */
  readonly outboundAllow?: readonly string[]
}

/** Sockets to one upstream at a time; further requests wait for one, within their own guard. */
const SOCKETS_PER_HOST_MAX = 512
/** Idle sockets kept: enough for a burst, few enough for a frozen function. */
const IDLE_SOCKETS_MAX = 16
/** Below the 5 s after which a plain node server hangs up, so that we seldom meet its FIN. */
const IDLE_SOCKET_MS = 4_000

/** `close` ends the idle sockets, for a host that stops. */
export function httpUpstream(options: HttpUpstreamOptions = {}): Upstream & { close(): void } {
  const rules = { outboundAllow: options.outboundAllow ?? [] }
  const pool = {
    keepAlive: true,
    maxSockets: SOCKETS_PER_HOST_MAX,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    scheduling: 'lifo',
    timeout: IDLE_SOCKET_MS,
  } as const
  const plain = new HttpAgent(pool)
  const secure = new HttpsAgent(pool)
  return {
    send: async (request, limits) => {
      if (limits.signal.aborted) return { kind: 'cut' }
      const target = checkTarget(request.url, rules)
      if (!target.ok) return { kind: 'refused_target', detail: target.error.detail }
      const headers = outgoingHeaders(request)
      if (!headers.ok) return { kind: 'refused_target', detail: headers.error.detail }
      const agent = target.value.protocol === 'https:' ? secure : plain
      return attempt({ url: target.value, request, headers: headers.value, agent, limits })
    },
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}

/**
 * An idle socket may die just as we write to it. Only what may be sent twice is sent again, once,
 * on a socket of its own; the upstream may have done the work of anything else.
 */
async function attempt(sending: Exchange): Promise<UpstreamAnswer> {
  const first = await exchange(sending)
  if (first.kind !== 'stale_socket') return first.answer
  if (!isRepeatable(sending.request) || sending.limits.signal.aborted) return first.answer
  return (await exchange({ ...sending, agent: false })).answer
}

function isRepeatable(request: UpstreamRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}
