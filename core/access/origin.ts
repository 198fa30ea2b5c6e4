/**
 * Which web pages may use an agent-facing function, and the CORS headers that say so. Requests
 * without Origin pass, since no page sent them. Credentials mode is never allowed: keys travel in a
 * header, and the gateway reads no cookies. Bound by MCP 2024-11-05 (Origin MUST be validated) and
 * the Fetch standard. A page can also reach a loopback server under a host name that its author
 * points at 127.0.0.1 (DNS rebinding). The Host header then holds that name, so `matchesOwnHost`
 * compares it with our own names.
 */

/** UTF-16 units: a scheme, a host name of 253 and a port. */
const ORIGIN_LENGTH_MAX = 300
/**
 * Visible ASCII, because the origin is sent back; no path, no credentials. Other schemes such as
 * `vscode-webview://…` are allowed too.
 */
const ORIGIN = /^(?=[!-~]+$)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/i

/** DELETE is answered 405. A page can read that answer only if the preflight allows the method. */
const ALLOW_METHODS = 'GET, POST, DELETE, OPTIONS'
const ALLOW_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, idempotency-key'
/** Skills choose the names of their mirrored parameters, and CORS has no wildcard for a prefix. */
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/
/** A skill has at most a few dozen parameters. A longer list is cut to keep the answer short. */
const PARAM_HEADERS_MAX = 50
const EXPOSE_HEADERS =
  'ratelimit, ratelimit-policy, retry-after, www-authenticate, idempotency-replayed'
/**
 * Seconds for which a browser may reuse a preflight's answer. Chromium allows two hours at most.
 */
const PREFLIGHT_MAX_AGE_SEC = 7200

/**
 * True if a page of this origin may call the gateway. `host` is the Host header; `allowedOrigins`
 * are exact origins or `*`. The scheme is not compared, because a gateway behind a proxy cannot
 * tell its own scheme.
 */
export function isOriginAllowed(request: {
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

/**
 * CORS headers of every answer. `allowed` is the result of {@link isOriginAllowed} for this `origin`.
 */
export function buildCorsHeaders(request: {
  origin: string | undefined
  allowed: boolean
}): Readonly<Record<string, string>> {
  // Every answer has `vary`: a cache must not give one origin's answer to another origin.
  const vary = { vary: 'Origin' }
  if (request.origin === undefined || !request.allowed) return vary
  return {
    ...vary,
    'access-control-allow-origin': request.origin,
    'access-control-expose-headers': EXPOSE_HEADERS,
  }
}

/**
 * Headers of the answer to an OPTIONS preflight. `wanted` is its Access-Control-Request-Headers.
 */
export function buildPreflightHeaders(request: {
  origin: string | undefined
  allowed: boolean
  wanted?: string | undefined
}): Readonly<Record<string, string>> {
  const headers = buildCorsHeaders(request)
  if (request.origin === undefined || !request.allowed) return headers
  return {
    ...headers,
    'access-control-allow-methods': ALLOW_METHODS,
    'access-control-allow-headers': [ALLOW_HEADERS, ...paramHeaders(request.wanted)].join(', '),
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_SEC),
  }
}

/** The requested headers that mirror parameters. Any skill may define some. */
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

/** `URL.origin` is 'null' for the schemes of browser extensions and editors; this text is not. */
function originText(url: URL): string {
  return `${url.protocol}//${url.host}`.toLowerCase()
}

/** An absent port means the default port of the origin's scheme, on both sides. */
function isSameHost(url: URL, host: string): boolean {
  return readOrigin(`${url.protocol}//${host}`)?.host === url.host
}

/** Bytes: 253 of a host name, brackets, and a port. */
const HOST_LENGTH_MAX = 300
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\],]+)(?::(\d{1,5}))?$/i
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

type HostAndPort = { readonly name: string; readonly port: string | undefined }

/**
 * True if Host names one of our own hosts, each `host` (any port) or `host:port`. A request without
 * Host is refused: HTTP/1.1 demands the header, and every browser sends it.
 */
export function matchesOwnHost(host: string | undefined, ownHosts: readonly string[]): boolean {
  const sent = readHost(host)
  if (sent === undefined) return false
  return ownHosts.some((entry) => {
    const own = readHost(entry)
    if (own?.name !== sent.name) return false
    return own.port === undefined || own.port === sent.port
  })
}

/** True for localhost, 127.0.0.1 and [::1], with or without a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  return LOOPBACK.has(readHost(host)?.name ?? '')
}

function readHost(host: string | undefined): HostAndPort | undefined {
  if (host === undefined || host.length > HOST_LENGTH_MAX) return undefined
  const match = HOST.exec(host)
  const name = match?.[1]?.toLowerCase()
  return name === undefined ? undefined : { name, port: match?.[2] }
}
