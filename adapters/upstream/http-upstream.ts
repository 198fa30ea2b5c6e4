/**
 * Sends one request to a skill's upstream over HTTP/1.1. It follows redirects itself, and checks
 * the URL and the addresses of each hop like those of the first one. Every outcome is a value,
 * since money depends on it; only a bug throws. Bound by docs/service.md, Outbound safety.
 */
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import { parseTarget, type Target, type TargetRules } from '../../core/request/check-target.ts'
import { makeNextRequest, REDIRECTS_MAX } from '../../core/request/redirect.ts'
import { type Resolve, resolveBySystem } from './checked-address.ts'
import { type Connections, openConnections } from './connections.ts'
import { type Exchange, type ExchangeOutcome, exchange } from './exchange.ts'
import { selectOutgoingHeaders } from './outgoing-headers.ts'
import { isPublicAddress } from './public-address.ts'

export type HttpUpstreamOptions = {
  /** `host` or `host:port` for which http and private addresses are allowed. */
  readonly outboundAllow?: readonly string[]
  /**
   * Says which addresses the hosts of `outboundAllow` may have; default: any. With it, no other host
   * is called.
   */
  readonly isListedAddress?: (address: string, to: URL) => boolean
  /** Finds all addresses of a name; default: the system's resolver. */
  readonly resolve?: Resolve
  /** The wall clock, epoch ms; default: `Date.now`. */
  readonly nowMs?: () => number
}

/** `close` ends the idle connections when the process stops. */
export function httpUpstream(options: HttpUpstreamOptions = {}): Upstream & { close(): void } {
  const { isListedAddress, outboundAllow = [], resolve = resolveBySystem, nowMs } = options
  const isAllowed = (address: string, { isAllowListed, url }: Target): boolean =>
    isAllowListed ? (isListedAddress?.(address, url) ?? true) : isPublicAddress(address)
  const connections = openConnections({ resolve, isAllowed }, nowMs)
  const rules = { outboundAllow, listedOnly: isListedAddress !== undefined }
  return {
    send: (request, limits) => followRedirects(request, { rules, limits, connections }),
    close: () => connections.close(),
  }
}

type SendOptions = {
  readonly rules: TargetRules
  readonly limits: Parameters<Upstream['send']>[1]
  readonly connections: Connections
}

type Hop = Exclude<ExchangeOutcome, { kind: 'stale_socket' }>

async function followRedirects(
  first: UpstreamRequest,
  sending: SendOptions,
): Promise<UpstreamAnswer> {
  const { redirectsMax = REDIRECTS_MAX } = sending.limits
  let request = first
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(request, sending)
    if (answer.kind !== 'redirected')
      return redirects === 0 ? answer : withoutNeverConnected(answer)
    if (request.signing !== undefined) return refuseTarget(SIGNED_ONCE)
    if (redirects === redirectsMax)
      return refuseTarget(`it redirects more than ${redirectsMax} times`)
    const next = makeNextRequest(request, answer, sending.rules)
    if (!next.ok) return refuseTarget(next.error)
    request = next.value
  }
}

const SIGNED_ONCE =
  'it redirects, and the signature of a request for AWS is for one URL; let the skill name the final one'

/**
 * An argument may choose the target of a redirect, so a target that refuses connections says
 * nothing about the first host.
 */
function withoutNeverConnected(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.kind !== 'unreachable') return answer
  const { neverConnected: _, ...rest } = answer
  return rest
}

function sendOnce(request: UpstreamRequest, sending: SendOptions): Hop | Promise<Hop> {
  const { connections, limits, rules } = sending
  if (limits.signal.aborted) return { kind: 'cut' }
  const to = parseTarget(request.url, rules)
  if (!to.ok) return refuseTarget(`its URL ${to.error}`)
  const headers = selectOutgoingHeaders(request, to.value.url.host)
  if (!headers.ok) return refuseTarget(headers.error)
  return sendWithRetry({ to: to.value, request, headers: headers.value, connections, limits })
}

/**
 * An idle connection may end while the request is written. Only a repeatable request is sent again,
 * once, on a new connection: the upstream may already have carried out any other request.
 */
async function sendWithRetry(sending: Exchange): Promise<Hop> {
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

function refuseTarget(detail: string): UpstreamAnswer & { kind: 'refused_target' } {
  return { kind: 'refused_target', detail }
}
