/**
 * Which URLs a skill may call: https on port 443 of a named public host, and whatever the operator
 * allow-listed. Judges the text of a URL, at sync and before each call. What a name resolves to is
 * judged where the connection is made (adapters/upstream): a name that passes here may still point
 * at a private address.
 */
import { ok, type Result, refuse } from '../errors.ts'

export type TargetRules = {
  /** `host` (any port) or `host:port`: http, any port and private names are allowed there. */
  readonly outboundAllow: readonly string[]
}

/** Names that mean this machine or this network (RFC 6761, RFC 6762, RFC 8375, clouds). */
const PRIVATE_SUFFIXES = ['localhost', 'localdomain', 'local', 'internal', 'lan', 'home.arpa']
/** URL turns 0x7f.1, 2130706433 and 127.1 into dotted form before this sees them. */
const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/

/** Refuses with `invalid_skill`: the endpoint is the skill's, whoever calls it. */
export function checkTarget(url: string, rules: TargetRules): Result<URL> {
  const target = URL.parse(url)
  if (target === null) return refused('is not a valid URL; send https://host/path')
  const wrong = targetFault(target, rules.outboundAllow)
  return wrong === undefined ? ok(target) : refused(wrong)
}

function targetFault(target: URL, outboundAllow: readonly string[]): string | undefined {
  const scheme = target.protocol.slice(0, -1)
  if (scheme !== 'https' && scheme !== 'http') return `has the scheme ${scheme}; use https`
  if (target.username !== '' || target.password !== '') {
    return 'has a user or password in its URL; remove it, credentials do not belong there'
  }
  if (isAllowed(target, outboundAllow)) return undefined
  if (scheme === 'http') return `is http; use https${orAllow(target)}`
  if (target.port !== '') return `names port ${target.port}; use 443${orAllow(target)}`
  const host = target.hostname.replace(/\.$/, '')
  if (IP_LITERAL.test(host)) return `names an IP address; use a public host name${orAllow(target)}`
  if (isPrivateName(host)) return `names a private host; use a public one${orAllow(target)}`
  return undefined
}

/** Written either way, an entry means the same: case and the default port do not count. */
function isAllowed(target: URL, outboundAllow: readonly string[]): boolean {
  const port = target.port || (target.protocol === 'http:' ? '80' : '443')
  return outboundAllow.some((entry) => {
    const allowed = entry.trim().toLowerCase()
    return allowed === target.hostname || allowed === `${target.hostname}:${port}`
  })
}

function isPrivateName(host: string): boolean {
  if (!host.includes('.')) return true
  return PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))
}

function orAllow(target: URL): string {
  return `, or let the operator allow ${target.host} (--outbound-allow, on AWS OUTBOUND_ALLOW)`
}

function refused(message: string) {
  return refuse('invalid_skill', `The skill's endpoint ${message}.`, {
    faults: [{ pointer: '/config/endpoint', message }],
  })
}
