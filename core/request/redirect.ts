/**
 * The request that follows a redirect: URL, method, headers and body. Methods and bodies follow
 * RFC 9110 section 15.4 and fetch; credentials are never sent to another origin. Pure: sends
 * nothing, and leaves the new host's addresses to the adapter. Bound by docs/service.md, Outbound
 * safety.
 */

import type { UpstreamRequest } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { judgeTarget, type TargetRules } from './check-target.ts'
import { URL_CHARS_MAX } from './draft-query.ts'

/** Real APIs need one or two (a trailing slash, a moved host); more is a loop. */
export const REDIRECTS_MAX = 3

export type Redirect = {
  readonly status: number
  /** Every Location header of the answer. */
  readonly locations: readonly string[]
}

/** 300 and 304 are ordinary answers, as for fetch; so is a redirect without Location. */
export function isRedirect({ locations, status }: Redirect): boolean {
  return REDIRECT_STATUSES.has(status) && locations.length > 0
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * An error is a clause without a full stop that reads after "The upstream could not be reached: …".
 */
export function nextRequest(
  request: UpstreamRequest,
  redirect: Redirect,
  rules: TargetRules,
): Result<UpstreamRequest, string> {
  const target = targetOf(request, redirect, rules)
  if (!target.ok) return target
  const isElsewhere = target.value.origin !== new URL(request.url).origin
  const becomesGet = isGetNext(request, redirect.status)
  const { sensitive } = request
  if (isElsewhere && sensitive?.query === true) return err(keeps('query'))
  if (isElsewhere && sensitive?.body === true && !becomesGet) return err(keeps('body'))
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

/** Headers that describe a body; a GET has none. */
const BODY_HEADERS: ReadonlySet<string> = new Set(
  'content-encoding content-language content-location content-type'.split(' '),
)

/** Judged by name, whether or not a secret is in them: Authorization, X-API-Key, a signature. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|passw|secret|session|signature|token/

function isGetNext({ method }: UpstreamRequest, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST' && (status === 301 || status === 302)
}

function targetOf(
  request: UpstreamRequest,
  { locations }: Redirect,
  rules: TargetRules,
): Result<URL, string> {
  const [location = '', second] = locations
  const url = second === undefined ? URL.parse(location, request.url) : null
  if (url === null) return err('its redirect does not lead to a valid URL')
  // A fragment is for a browser and is not sent.
  url.hash = ''
  if (url.href.length > URL_CHARS_MAX) {
    return err(`its redirect leads to a URL of over ${URL_CHARS_MAX} characters`)
  }
  const judged = judgeTarget(url.href, rules)
  if (!judged.ok) return err(`its redirect leads to a URL that ${judged.error}`)
  if (judged.value.isAllowListed && !isAllowListed(request.url, rules)) return err(NOT_INSIDE)
  return ok(judged.value.url)
}

/** The allow-list covers URLs that skills name, not those that any upstream redirects to. */
const NOT_INSIDE =
  'its redirect leads from a public host to one on the allow-list; let the skill name that one'

function isAllowListed(url: string, rules: TargetRules): boolean {
  const judged = judgeTarget(url, rules)
  return judged.ok && judged.value.isAllowListed
}

function keeps(part: 'query' | 'body'): string {
  return `its redirect leads to another origin, and the request has a secret in its ${part}; let the skill name the final URL`
}
