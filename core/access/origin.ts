/**
 * Which web pages may use an agent door, and what a browser is told about it. Requests without
 * Origin pass: no page sent them. Credentials mode is never allowed: keys travel in a header, and
 * cookies mean nothing here. Bound by MCP 2024-11-05 (Origin MUST be validated) and the Fetch standard.
 */
import { isLoopbackHost } from './host.ts'

/** UTF-16 units: a scheme, a host name of 253, a port. */
const ORIGIN_LENGTH_MAX = 300
/** An origin as browsers write it: visible ASCII (it is sent back), no path, no credentials. Also `vscode-webview://…` and the like. */
const ORIGIN = /^(?=[!-~]+$)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/i

/** DELETE is answered 405, which a page can only read where the preflight let it through. */
const ALLOW_METHODS = 'GET, POST, DELETE, OPTIONS'
const ALLOW_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, idempotency-key'
/** Names of mirrored parameters are the skills' own, and `*` does not stand for names that start alike. */
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/
/** A skill has at most a few dozen parameters; a longer list is cut, so that the answer stays short. */
const PARAM_HEADERS_MAX = 50
const EXPOSE_HEADERS = 'ratelimit, ratelimit-policy, retry-after, www-authenticate'
/** Seconds a browser may reuse a preflight's answer: two hours is what Chromium caps at. */
const PREFLIGHT_MAX_AGE_SEC = 7200

/**
 * `host` is the Host header, `allowedOrigins` are exact origins or `*`. Schemes of the page and of
 * the door are not compared, since behind a proxy the door does not know its own.
 */
export function checkOrigin(request: {
  origin: string | undefined
  host: string | undefined
  allowedOrigins: readonly string[]
}): boolean {
  const { origin, host, allowedOrigins } = request
  if (origin === undefined) return true
  if (origin === 'null') return allowedOrigins.includes('*')
  const url = readOrigin(origin)
  if (url === undefined) return false
  if (allowedOrigins.includes('*') || isListed(url, allowedOrigins)) return true
  if (host === undefined) return false
  return isSameHost(url, host) || (isLoopbackHost(url.host) && isLoopbackHost(host))
}

/** Headers of every answer. `allowed` is what {@link checkOrigin} said of this `origin`. */
export function corsHeaders(request: {
  origin: string | undefined
  allowed: boolean
}): Readonly<Record<string, string>> {
  // Always: a cache must not give one origin's answer to another.
  const vary = { vary: 'Origin' }
  if (request.origin === undefined || !request.allowed) return vary
  return {
    ...vary,
    'access-control-allow-origin': request.origin,
    'access-control-expose-headers': EXPOSE_HEADERS,
  }
}

/** Headers of the answer to an OPTIONS preflight. `wanted` is its Access-Control-Request-Headers. */
export function preflightHeaders(request: {
  origin: string | undefined
  allowed: boolean
  wanted?: string | undefined
}): Readonly<Record<string, string>> {
  const headers = corsHeaders(request)
  if (request.origin === undefined || !request.allowed) return headers
  return {
    ...headers,
    'access-control-allow-methods': ALLOW_METHODS,
    'access-control-allow-headers': [ALLOW_HEADERS, ...paramHeaders(request.wanted)].join(', '),
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_SEC),
  }
}

/** Of the headers that a page wants to send, those that mirror parameters: any skill may have some. */
function paramHeaders(wanted = ''): readonly string[] {
  const names = wanted.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => PARAM_HEADER.test(name)).slice(0, PARAM_HEADERS_MAX)
}

function readOrigin(origin: string): URL | undefined {
  if (origin.length > ORIGIN_LENGTH_MAX || !ORIGIN.test(origin)) return undefined
  return URL.parse(origin) ?? undefined
}

function isListed(url: URL, allowedOrigins: readonly string[]): boolean {
  const wanted = originText(url)
  return allowedOrigins.some((entry) => {
    const allowed = readOrigin(entry)
    return allowed !== undefined && originText(allowed) === wanted
  })
}

/** `URL.origin` is 'null' for schemes that browsers' extensions and editors use. */
function originText(url: URL): string {
  return `${url.protocol}//${url.host}`.toLowerCase()
}

/** A port that is left out is the origin scheme's own, on both sides. */
function isSameHost(url: URL, host: string): boolean {
  return readOrigin(`${url.protocol}//${host}`)?.host === url.host
}
