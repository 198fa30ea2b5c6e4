/**
 * Says why no answer came over the network, in one line, and what to do, in another. The code of the
 * system stands in parentheses, so that it can be searched.
 */

export type NetworkTrouble = {
  /** Says what happened, with the address. */
  readonly message: string
  readonly remedy: string
  /** Such as `ECONNREFUSED`; undefined if the system gave none. */
  readonly code: string | undefined
}

type Place = { readonly url: URL; readonly env: { readonly [name: string]: string | undefined } }

/** `cause` is what `fetch` rejected with. Several addresses of one host are one trouble. */
export function describeTrouble(cause: unknown, place: Place): NetworkTrouble {
  const code = findCode(cause, 0)
  const kind = findKind(code)
  const text = kind === undefined ? findText(cause) : WHAT[kind]
  const { origin } = place.url
  const where = isAbsent(kind) ? `Nothing answers at ${origin}` : `${origin} cannot be used`
  const shown = code === undefined ? text : `${text} (${code})`
  return { message: `${where}: ${shown}.`, remedy: findRemedy(kind, place), code }
}

const PARSER_ERROR = 'HTTPParserError'
/** Causes within causes that are looked at. */
const DEPTH_MAX = 5

/** The code that stands deepest: that of `fetch` itself says less. */
function findCode(cause: unknown, depth: number): string | undefined {
  if (!(cause instanceof Error) || depth >= DEPTH_MAX) return undefined
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const inner = findCode(cause.cause ?? first, depth + 1)
  if (inner !== undefined) return inner
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  // The parser of HTTP gives some of its errors a name alone.
  return cause.name === PARSER_ERROR ? PARSER_ERROR : undefined
}

function findText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}

const WHAT = {
  refused: 'connection refused',
  unknown: 'there is no such host',
  unreachable: 'no network leads there',
  silent: 'no connection in time',
  closed: 'the connection was closed before an answer',
  certificate: 'its certificate is not trusted here',
  plain: 'it does not speak TLS',
  other: 'it does not speak HTTP/1.1',
  proxy: 'the proxy lets nothing through',
} as const

type Kind = keyof typeof WHAT

const KINDS: { readonly [code: string]: Kind } = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown',
  EAI_AGAIN: 'unknown',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_BODY_TIMEOUT: 'silent',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  EPROTO: 'plain',
  UND_ERR_ABORTED: 'proxy',
  UND_ERR_PRX_TLS: 'proxy',
}

/** Families of codes, such as `CERT_HAS_EXPIRED` and `HPE_INVALID_CONSTANT`. */
const FAMILIES: readonly (readonly [RegExp, Kind])[] = [
  [/CERT|SELF_SIGNED|^UNABLE_TO_/, 'certificate'],
  [/^ERR_SSL_|^ERR_TLS_/, 'plain'],
  [/^HPE_|^HTTPParserError$/, 'other'],
]

/** True if nobody was reached. */
function isAbsent(kind: Kind | undefined): boolean {
  return kind === 'refused' || kind === 'unknown' || kind === 'unreachable' || kind === 'silent'
}

function findKind(code: string | undefined): Kind | undefined {
  if (code === undefined) return undefined
  return KINDS[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1]
}

function findRemedy(kind: Kind | undefined, { env, url }: Place): string {
  switch (kind) {
    case 'certificate':
      return 'If a proxy or your company signs it, name its certificate in NODE_EXTRA_CA_CERTS.'
    case 'plain':
      return `Write the address with http:// if that is this machine, or ask for the port of https.`
    case 'other':
    case 'closed':
      return 'Is this the address of a gateway, with http or https as it needs? See skillgate profile ls.'
    case 'proxy':
      return 'See HTTPS_PROXY and NO_PROXY, or ask who runs the proxy.'
    default:
      return isThisMachine(url) ? TWIN_REMEDY : findRemoteRemedy(env)
  }
}

const TWIN_REMEDY = 'Start the twin with npm start, or choose a gateway with skillgate profile use.'

/** Node uses a proxy only where it is told to. */
function findRemoteRemedy(env: Place['env']): string {
  const hasProxy = (env['HTTPS_PROXY'] ?? env['https_proxy'] ?? '') !== ''
  return hasProxy && env['NODE_USE_ENV_PROXY'] !== '1'
    ? 'Set NODE_USE_ENV_PROXY=1 if only HTTPS_PROXY leads there, or choose a gateway with skillgate profile use.'
    : 'Check the address and your network, or choose a gateway with skillgate profile use.'
}

function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
