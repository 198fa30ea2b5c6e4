/**
 * Makes the request that follows a redirect. Methods and bodies follow RFC 9110 section 15.4 and
 * fetch. Credentials are never sent to another origin. Sends nothing; the adapter checks the new
 * host's addresses. Bound by docs/service.md, Outbound safety.
 */
import type { UpstreamRequest } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { parseTarget, type TargetRules } from './check-target.ts'
import { URL_CHARS_MAX } from './draft-query.ts'

/** Redirects of one request. Real APIs need one or two (a trailing slash, a moved host). */
export const REDIRECTS_MAX = 3

export type Redirect = {
  readonly status: number
  /** Every Location header of the answer. */
  readonly locations: readonly string[]
}

/** 300, 304 and a redirect without Location are ordinary answers, as in fetch. */
export function isRedirect({ locations, status }: Redirect): boolean {
  return REDIRECT_STATUSES.has(status) && locations.length > 0
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Makes the next request. An error is a clause without a full stop that follows "The upstream could
 * not be reached: …".
 */
export function makeNextRequest(
  request: UpstreamRequest,
  redirect: Redirect,
  rules: TargetRules,
): Result<UpstreamRequest, string> {
  const target = findTarget(request, redirect, rules)
  if (!target.ok) return target
  const isElsewhere = target.value.origin !== new URL(request.url).origin
  const becomesGet = becomesGetRequest(request, redirect.status)
  if (becomesGet && request.keepsMethod === true) return err(WOULD_BECOME_GET)
  const { sensitive } = request
  if (isElsewhere && sensitive?.query === true) return err(explainSecretIn('query'))
  if (isElsewhere && sensitive?.body === true && !becomesGet) return err(explainSecretIn('body'))
  const secretHeaders = new Set(sensitive?.headers)
  const headers = Object.entries(request.headers).filter(([written]) => {
    const name = written.toLowerCase()
    if (becomesGet && BODY_HEADERS.has(name)) return false
    return !isElsewhere || !(secretHeaders.has(name) || CREDENTIAL_HEADER.test(name))
  })
  const next = { url: target.value.href, headers: Object.fromEntries(headers) }
  if (!becomesGet) return ok({ ...request, ...next })
  const sensitivity = sensitive === undefined ? {} : { sensitive: { ...sensitive, body: false } }
  return ok({ ...request, ...next, ...sensitivity, method: 'GET', body: undefined })
}

const WOULD_BECOME_GET =
  'its redirect would turn the POST into a GET; use the URL that the redirect leads to'

/** Headers that describe a body, which a GET does not have. */
const BODY_HEADERS: ReadonlySet<string> = new Set(
  'content-encoding content-language content-location content-type'.split(' '),
)

/** Names of headers with credentials, also without a stored secret: Authorization, X-API-Key. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|passw|secret|session|signature|token/

function becomesGetRequest({ method }: UpstreamRequest, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST' && (status === 301 || status === 302)
}

function findTarget(
  request: UpstreamRequest,
  { locations }: Redirect,
  rules: TargetRules,
): Result<URL, string> {
  const [location = '', second] = locations
  const url = second === undefined ? URL.parse(location, request.url) : null
  if (url === null) return err('its redirect does not lead to a valid URL')
  // Fragments are for browsers and are not sent.
  url.hash = ''
  if (url.href.length > URL_CHARS_MAX) {
    return err(`its redirect leads to a URL of over ${URL_CHARS_MAX} characters`)
  }
  const target = parseTarget(url.href, rules)
  if (!target.ok) return err(`its redirect leads to a URL that ${target.error}`)
  if (target.value.isAllowListed && !isAllowListed(request.url, rules)) return err(FROM_PUBLIC)
  return ok(target.value.url)
}

/** The allow-list is for URLs that skills name, not for redirects of public upstreams. */
const FROM_PUBLIC =
  'its redirect leads from a public host to one on the allow-list; let the skill name that one'

function isAllowListed(url: string, rules: TargetRules): boolean {
  const target = parseTarget(url, rules)
  return target.ok && target.value.isAllowListed
}

function explainSecretIn(part: 'query' | 'body'): string {
  return `its redirect leads to another origin, and the request has a secret in its ${part}; let the skill name the final URL`
}
