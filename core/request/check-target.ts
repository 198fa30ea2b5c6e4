/**
 * Decides which URLs a skill may call: https on port 443 of a named public host, and any host on
 * the operator's allow-list. Checks the text of a URL at sync, before each call, and for each
 * redirect. A valid name may still resolve to a private address, so adapters/upstream checks the
 * addresses when it connects. Bound by docs/service.md, Outbound safety.
 */
import { err, ok, type Result, refuse } from '../errors.ts'

export type TargetRules = {
  /** `host` (any port) or `host:port`. These hosts may use http, any port and private addresses. */
  readonly outboundAllow: readonly string[]
  /**
   * The same for hosts in the stage's network, which only the function caller reaches. Undefined for
   * a sender that reaches none.
   */
  readonly privateHosts?: readonly string[]
  /** Refuses every host that `outboundAllow` does not list. */
  readonly listedOnly?: boolean
}

export type Target = {
  readonly url: URL
  /** True if the operator allows the host; then scheme, port and addresses are not checked. */
  readonly isAllowListed: boolean
  /** True if the function caller reaches the host, and judges its addresses. */
  readonly isPrivate: boolean
}

/** Refuses with `invalid_skill`, because the skill's author chose the endpoint. */
export function checkTarget(url: string, rules: TargetRules): Result<URL> {
  const target = parseTarget(url, rules)
  if (target.ok) return ok(target.value.url)
  const message = target.error
  return refuse('invalid_skill', `The skill's endpoint ${message}.`, {
    faults: [{ pointer: '/config/endpoint', message }],
  })
}

/** Checks a URL. An error is a clause without a full stop that follows "the URL …". */
export function parseTarget(url: string, rules: TargetRules): Result<Target, string> {
  const target = URL.parse(url)
  if (target === null) return err('is not a valid URL; send https://host/path')
  const wrong = checkAnyHost(target)
  if (wrong !== undefined) return err(wrong)
  const { listedOnly = false, outboundAllow, privateHosts = [] } = rules
  const isPrivate = isListed(target, privateHosts)
  const isAllowListed = isListed(target, outboundAllow)
  if (isPrivate || isAllowListed) return ok({ url: target, isAllowListed, isPrivate })
  const refused = listedOnly ? NOT_LISTED : checkPublicHost(target)
  return refused === undefined ? ok({ url: target, isAllowListed, isPrivate }) : err(refused)
}

const NOT_LISTED = 'names a host that privateHosts does not list; let the operator add it'

/** Checks the rules that also bind hosts on the allow-list. */
function checkAnyHost({ password, protocol, username }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') {
    return `has the scheme ${protocol.slice(0, -1)}; use https`
  }
  if (username === '' && password === '') return undefined
  return 'has a user or password in its URL; remove it, credentials do not belong there'
}

/** The URL parser converts 0x7f.1, 2130706433, 127.1 and full-width digits to this form. */
const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/

function checkPublicHost(target: URL): string | undefined {
  if (target.protocol === 'http:') return `is http; use https${addAllowAdvice(target)}`
  if (target.port !== '') return `names port ${target.port}; use 443${addAllowAdvice(target)}`
  const { hostname } = target
  if (IP_LITERAL.test(hostname)) {
    return `names an IP address; use a public host name${addAllowAdvice(target)}`
  }
  const host = hostname.replace(/\.+$/, '')
  if (isPrivateName(host)) return `names a private host; use a public one${addAllowAdvice(target)}`
  // With a dot at the end, certificates, virtual hosts and our tables would see a second host.
  if (host !== hostname) return 'has a host that ends in a dot; remove it'
  return undefined
}

/**
 * Tells whether a list of `host` and `host:port` has the host of a URL. Ignores case, and an
 * explicit default port.
 */
export function isListed(target: URL, hosts: readonly string[]): boolean {
  if (hosts.length === 0) return false
  const port = target.port || (target.protocol === 'http:' ? '80' : '443')
  const withPort = `${target.hostname}:${port}`
  return hosts.some((entry) => {
    const allowed = entry.trim().toLowerCase()
    return allowed === target.hostname || allowed === withPort
  })
}

/**
 * Names of this machine or this network: RFC 6761 (localhost), RFC 6762 (local, and the names of
 * its appendix G), RFC 7686 (onion), RFC 8375 (home.arpa), ICANN (internal), Kubernetes (svc),
 * hosts files (localdomain; sandbox.localdomain is Lambda's). This check only gives an early
 * message: the addresses of a name are always checked.
 */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set(
  'corp home internal intranet lan local localdomain localhost onion private svc'.split(' '),
)

/** Metadata services under public names and at public-looking addresses (Equinix Metal, Packet). */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata.packet.net',
  'metadata.platformequinix.com',
])

function isPrivateName(host: string): boolean {
  const lastDot = host.lastIndexOf('.')
  if (lastDot < 0 || PRIVATE_SUFFIXES.has(host.slice(lastDot + 1))) return true
  return METADATA_NAMES.has(host) || host === 'home.arpa' || host.endsWith('.home.arpa')
}

function addAllowAdvice(target: URL): string {
  return `, or let the operator allow ${target.host} (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS)`
}
