/**
 * What a send would do, without sending: the judgement of a URL and of the addresses that its name has now, and
 * the head that would be written. Uses the judges and writers of http-upstream.ts; opens no connection. Bound by
 * docs/service.md, Outbound safety.
 */

import type { TargetVerdict } from '../../core/call/upstream.ts'
import { err, ok } from '../../core/errors.ts'
import type { UpstreamPreviews } from '../../core/ports/outside.ts'
import { judgeTarget, type Target } from '../../core/request/check-target.ts'
import { type Resolve, resolveBySystem } from './checked-address.ts'
import { type OutgoingHeaders, outgoingHeaders } from './outgoing-headers.ts'
import { addressRule, isPublicAddress } from './public-address.ts'
import { NOT_PUBLIC } from './unreachable.ts'

type Options = {
  readonly outboundAllow: readonly string[]
  /** Answers all addresses of a name; the system's resolver by default. */
  readonly resolve?: Resolve
}

/** A name server that takes longer fails a call, too. */
export const RESOLVE_MS_MAX = 5_000
/** Addresses shown of one name. */
export const ADDRESSES_SHOWN_MAX = 32

export function upstreamPreviews({
  outboundAllow,
  resolve = resolveBySystem,
}: Options): UpstreamPreviews {
  return {
    target: async (url) => {
      const target = judgeTarget(url, { outboundAllow })
      if (target.ok) return verdictOf(target.value, await addressesOf(resolve, target.value.url))
      const origin = URL.parse(url)?.origin ?? ''
      return { origin, allowed: false, rule: `the URL ${target.error}`, addresses: [] }
    },
    head: async (request) => {
      const target = judgeTarget(request.url, { outboundAllow })
      if (!target.ok) return err(`its URL ${target.error}`)
      const { host, href } = target.value.url
      const headers = outgoingHeaders(request, host)
      return headers.ok ? ok({ url: href, headers: pairsOf(headers.value) }) : headers
    },
  }
}

function pairsOf(headers: OutgoingHeaders): readonly (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
}

function verdictOf({ isAllowListed, url }: Target, found: readonly string[]): TargetVerdict {
  const addresses = found.slice(0, ADDRESSES_SHOWN_MAX).map((address) => ({
    address,
    allowed: isAllowListed || isPublicAddress(address),
    rule: isAllowListed ? 'is not judged: the operator allows its host' : addressRule(address),
  }))
  const { origin } = url
  if (found.length === 0) return { origin, allowed: false, rule: NO_ADDRESS, addresses }
  if (isAllowListed) return { origin, allowed: true, rule: ALLOW_LISTED, addresses }
  return found.every(isPublicAddress)
    ? { origin, allowed: true, rule: PUBLIC, addresses }
    : { origin, allowed: false, rule: NOT_PUBLIC, addresses }
}

const NO_ADDRESS = 'the host name does not resolve now'
const ALLOW_LISTED =
  'the operator allows the host (--outbound-allow, on AWS OUTBOUND_ALLOW), so scheme, port and addresses are not judged'
const PUBLIC =
  'the URL is https on port 443 of a public name, and every address of the name is public'

/** None where the name does not resolve in time. */
function addressesOf(resolve: Resolve, { hostname }: URL): Promise<readonly string[]> {
  const { promise, resolve: settle } = Promise.withResolvers<readonly string[]>()
  const timer = setTimeout(() => settle([]), RESOLVE_MS_MAX)
  // An IPv6 address stands in brackets in a URL.
  resolve(hostname.replace(/^\[|\]$/g, ''), (cause, addresses) => {
    clearTimeout(timer)
    settle(cause === null ? addresses.map(({ address }) => address) : [])
  })
  return promise
}
