/**
 * Sends one request to a skill's upstream over HTTP/1.1, and follows redirects itself: each hop's
 * URL and addresses are judged like the first one's. Every outcome is a value, since money depends
 * on it; only a bug throws. Bound by docs/service.md, Outbound safety.
 */

import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import { judgeTarget, type TargetRules } from '../../core/request/check-target.ts'
import { nextRequest, REDIRECTS_MAX } from '../../core/request/redirect.ts'
import { type Resolve, resolveBySystem } from './checked-address.ts'
import { type Connections, upstreamConnections } from './connections.ts'
import { type Exchange, type ExchangeOutcome, exchange } from './exchange.ts'
import { outgoingHeaders } from './outgoing-headers.ts'
import { isPublicAddress } from './public-address.ts'

export type HttpUpstreamOptions = {
  /** `host` or `host:port` for which http and private addresses are allowed. */
  readonly outboundAllow?: readonly string[]
  /** Answers all addresses of a name; the system's resolver by default. */
  readonly resolve?: Resolve
  /** The wall clock. */
  readonly nowMs?: () => number
}

/** `close` ends the idle connections, for a host that stops. */
export function httpUpstream(options: HttpUpstreamOptions = {}): Upstream & { close(): void } {
  const { outboundAllow = [], resolve = resolveBySystem, nowMs } = options
  const connections = upstreamConnections({ resolve, isPublic: isPublicAddress }, nowMs)
  const rules = { outboundAllow }
  return {
    send: (request, limits) => follow(request, { rules, limits, connections }),
    close: () => connections.close(),
  }
}

type SendOptions = {
  readonly rules: TargetRules
  readonly limits: Parameters<Upstream['send']>[1]
  readonly connections: Connections
}

type Hop = Exclude<ExchangeOutcome, { kind: 'stale_socket' }>

async function follow(first: UpstreamRequest, sending: SendOptions): Promise<UpstreamAnswer> {
  let request = first
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(request, sending)
    if (answer.kind !== 'redirected') return redirects === 0 ? answer : afterRedirect(answer)
    if (redirects === REDIRECTS_MAX) return refused(`it redirects more than ${REDIRECTS_MAX} times`)
    const next = nextRequest(request, answer, sending.rules)
    if (!next.ok) return refused(next.error)
    request = next.value
  }
}

/**
 * An argument may choose where an upstream redirects to: a host that refuses connections tells
 * nothing about the first one.
 */
function afterRedirect(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.kind !== 'unreachable') return answer
  const { neverConnected: _, ...rest } = answer
  return rest
}

function sendOnce(request: UpstreamRequest, sending: SendOptions): Hop | Promise<Hop> {
  const { connections, limits, rules } = sending
  if (limits.signal.aborted) return { kind: 'cut' }
  const to = judgeTarget(request.url, rules)
  if (!to.ok) return refused(`its URL ${to.error}`)
  const headers = outgoingHeaders(request, to.value.url.host)
  if (!headers.ok) return refused(headers.error)
  return attempt({ to: to.value, request, headers: headers.value, connections, limits })
}

/**
 * An idle connection may end just as we write to it. Only a request that may be sent twice is sent
 * again, once, on a new connection: for any other the upstream may have done the work already.
 */
async function attempt(sending: Exchange): Promise<Hop> {
  const first = await exchange(sending)
  if (first.kind !== 'stale_socket') return first
  if (!isRepeatable(sending.request) || sending.limits.signal.aborted) return first.answer
  sending.connections.endIdle(sending.to.url.origin)
  const second = await exchange(sending)
  return second.kind === 'stale_socket' ? second.answer : second
}

function isRepeatable(request: UpstreamRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

function refused(detail: string): UpstreamAnswer & { kind: 'refused_target' } {
  return { kind: 'refused_target', detail }
}
