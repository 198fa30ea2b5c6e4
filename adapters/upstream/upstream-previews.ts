/**
 * Shows what a send would do, without sending: the check of a URL and of its name's current
 * addresses, and the head of the request. It uses the checks of http-upstream.ts and opens no
 * connection. Bound by docs/service.md, Outbound safety.
 */
import type { TargetVerdict, UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { UpstreamPreviews } from '../../core/ports/outside.ts'
import type { SigningRules } from '../../core/request/check-signing.ts'
import { parseTarget, type Target } from '../../core/request/check-target.ts'
import { type Resolve, resolveBySystem } from './checked-address.ts'
import { type OutgoingHeaders, selectOutgoingHeaders } from './outgoing-headers.ts'
import { describeAddressRule, isPublicAddress } from './public-address.ts'
import { previewSigned } from './signed-preview.ts'
import { NOT_PUBLIC_ADDRESS } from './unreachable.ts'

type Options = SigningRules & {
  /** Hosts that the function caller reaches; default: none. */
  readonly privateHosts?: readonly string[]
  /** Finds all addresses of a name; default: the system's resolver. */
  readonly resolve?: Resolve
}

/** A name server that takes longer would also fail a call. */
export const RESOLVE_MS_MAX = 5_000
/** Addresses of one name that are shown. */
export const ADDRESSES_SHOWN_MAX = 32

export function makeUpstreamPreviews({
  outboundAllow,
  privateHosts = [],
  resolve = resolveBySystem,
  signedAccess,
}: Options): UpstreamPreviews {
  const rules = { outboundAllow, privateHosts }
  return {
    target: async ({ url }) => {
      const target = parseTarget(url, rules)
      // Its name means something only in the network of the function caller.
      if (target.ok && target.value.isPrivate) {
        const { origin } = target.value.url
        return { origin, allowed: true, rule: PRIVATE_RULE, addresses: [] }
      }
      if (target.ok)
        return makeVerdict(target.value, await resolveAddresses(resolve, target.value.url))
      const origin = URL.parse(url)?.origin ?? ''
      return { origin, allowed: false, rule: `the URL ${target.error}`, addresses: [] }
    },
    head: async (request) => {
      const target = parseTarget(request.url, rules)
      if (!target.ok) return err(`its URL ${target.error}`)
      const { host } = target.value.url
      const sent = signPreview(request, { outboundAllow, signedAccess })
      if (!sent.ok) return sent
      const headers = selectOutgoingHeaders(sent.value, host)
      return headers.ok ? ok({ url: sent.value.url, headers: toPairs(headers.value) }) : headers
    },
  }
}

function signPreview(
  request: UpstreamRequest,
  rules: SigningRules,
): Result<UpstreamRequest, string> {
  const { signing } = request
  return signing === undefined ? ok(request) : previewSigned(request, signing, rules)
}

function toPairs(headers: OutgoingHeaders): readonly (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
}

function makeVerdict({ isAllowListed, url }: Target, found: readonly string[]): TargetVerdict {
  const addresses = found.slice(0, ADDRESSES_SHOWN_MAX).map((address) => ({
    address,
    allowed: isAllowListed || isPublicAddress(address),
    rule: isAllowListed
      ? 'is not judged: the operator allows its host'
      : describeAddressRule(address),
  }))
  const { origin } = url
  if (found.length === 0) return { origin, allowed: false, rule: NO_ADDRESS_RULE, addresses }
  if (isAllowListed) return { origin, allowed: true, rule: ALLOW_LISTED_RULE, addresses }
  return found.every(isPublicAddress)
    ? { origin, allowed: true, rule: PUBLIC_RULE, addresses }
    : { origin, allowed: false, rule: NOT_PUBLIC_ADDRESS, addresses }
}

const NO_ADDRESS_RULE = 'the host name does not resolve now'
const ALLOW_LISTED_RULE =
  'the operator allows the host (--outbound-allow, on AWS OUTBOUND_ALLOW), so scheme, port and addresses are not judged'
const PRIVATE_RULE =
  'the operator lists the host (privateHosts, on AWS PRIVATE_HOSTS), so the function caller reaches it and judges its addresses when it connects'
const PUBLIC_RULE =
  'the URL is https on port 443 of a public name, and every address of the name is public'

/** Returns no address if the name does not resolve in time. */
function resolveAddresses(resolve: Resolve, { hostname }: URL): Promise<readonly string[]> {
  const { promise, resolve: settle } = Promise.withResolvers<readonly string[]>()
  const timer = setTimeout(() => settle([]), RESOLVE_MS_MAX)
  // A URL has an IPv6 address in brackets.
  resolve(hostname.replace(/^\[|\]$/g, ''), (cause, addresses) => {
    clearTimeout(timer)
    settle(cause === null ? addresses.map(({ address }) => address) : [])
  })
  return promise
}
