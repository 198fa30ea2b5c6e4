/**
 * Where a request goes: a judged origin, and what the request line asks it for. Judges an origin
 * once, since the rules look at a URL's scheme, user, host and port alone
 * (core/call/check-target.ts). A URL that the parser might write in another way than it came is
 * parsed and judged as a whole each time. Bound by docs/service.md, Outbound safety.
 */
import { judgeTarget, type Target, type TargetRules } from '../../core/call/check-target.ts'
import { ok, type Result } from '../../core/errors.ts'

/** An origin that may be called. */
export type Site = Target & {
  /** Of `url`, whose path and query mean nothing here. */
  readonly origin: string
  readonly host: string
}

export type Destination = {
  readonly site: Site
  /** Path and query, as the request line has them. */
  readonly path: string
}

/** Origins remembered; one more, and all are forgotten. */
export const SITES_MAX = 1_000

/**
 * A path and a query that the URL parser leaves as they are: no dot segment, and no character that it
 * encodes. Before them, nothing but a scheme, a host and a port.
 */
const AS_IT_IS =
  /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:\/(?!\.|%2[Ee])[\w!$%&()*+,.:;=@~-]*)+(?:\?[\w!$%&()*+,./:;=?@~-]+)?$/
/** In such a URL the next slash begins the path. */
const SCHEME_CHARS_MAX = 'https://'.length

/** An error is a clause without a full stop that reads after "the URL …". */
export function destinations(rules: TargetRules): (url: string) => Result<Destination, string> {
  const sites = new Map<string, Site>()
  const siteOf = (origin: string): Result<Site, string> => {
    const known = sites.get(origin)
    if (known !== undefined) return ok(known)
    const fresh = judged(origin, rules)
    if (!fresh.ok) return fresh
    const { site } = fresh.value
    if (sites.size >= SITES_MAX) sites.clear()
    // Not the text that came: it is a piece of a URL that may hold a secret.
    sites.set(site.origin, site)
    return ok(site)
  }
  return (url) => {
    if (!AS_IT_IS.test(url)) return judged(url, rules)
    const pathAt = url.indexOf('/', SCHEME_CHARS_MAX)
    const site = siteOf(url.slice(0, pathAt))
    return site.ok ? ok({ site: site.value, path: url.slice(pathAt) }) : site
  }
}

function judged(url: string, rules: TargetRules): Result<Destination, string> {
  const target = judgeTarget(url, rules)
  return target.ok ? ok(destinationOf(target.value)) : target
}

export function destinationOf({ isAllowListed, url }: Target): Destination {
  const { host, origin, pathname, search } = url
  return { site: { url, isAllowListed, origin, host }, path: pathname + search }
}
