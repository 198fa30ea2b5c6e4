/**
 * Sends one request to a skill's upstream over HTTP/1.1. Follows no redirect: a 3xx is an answer.
 * Every way it can go is a value, since money follows it; it throws on a bug only. Bound by design
 * section 4 (Outbound safety).
 */
import { checkTarget } from '../../core/call/check-target.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Upstream } from '../../core/ports.ts'
import { upstreamConnections } from './connections.ts'
import { type Exchange, exchange } from './exchange.ts'
import { outgoingHeaders } from './outgoing-headers.ts'

export type HttpUpstreamOptions = {
  /** `host` or `host:port` for which http and private addresses are allowed. */
  readonly outboundAllow?: readonly string[]
}

/** `close` ends the idle connections, for a host that stops. */
export function httpUpstream(options: HttpUpstreamOptions = {}): Upstream & { close(): void } {
  const rules = { outboundAllow: options.outboundAllow ?? [] }
  const connections = upstreamConnections()
  return {
    send: async (request, limits) => {
      await turnEnd()
      if (limits.signal.aborted) return { kind: 'cut' }
      const target = checkTarget(request.url, rules)
      if (!target.ok) return { kind: 'refused_target', detail: target.error.detail }
      const headers = outgoingHeaders(request)
      if (!headers.ok) return { kind: 'refused_target', detail: headers.error.detail }
      const over = { connections, how: 'any' } as const
      return attempt({ url: target.value, request, headers: headers.value, over, limits })
    },
    close: () => connections.close(),
  }
}

/**
 * Requests of one turn are made and written one after the other: that costs a fifth less CPU a call
 * than each amid its own flow (16 at once, docs/performance.md), and one alone loses nothing.
 */
function turnEnd(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * An idle connection may die just as we write to it. Only what may be sent twice is sent again, once,
 * on a new one; the upstream may have done the work of anything else.
 */
async function attempt(sending: Exchange): Promise<UpstreamAnswer> {
  const first = await exchange(sending)
  if (first.kind !== 'stale_socket') return first.answer
  if (!isRepeatable(sending.request) || sending.limits.signal.aborted) return first.answer
  const { connections } = sending.over
  return (await exchange({ ...sending, over: { connections, how: 'new' } })).answer
}

function isRepeatable(request: UpstreamRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}
