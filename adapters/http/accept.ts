/**
 * What a client accepts: whether packed answers, and which body types for the answer to a POST of Streamable HTTP. Clients must
 * name both types and many do not: an absent header, a wildcard or one of the two types is enough.
 * A client that accepts neither type is answered all the same; MCP leaves that case open
 * (2025-11-25, basic/transports, Sending messages).
 */

export type AcceptedTypes = 'json' | 'sse' | 'both'

const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*'])
const SSE_RANGES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*', '*/*'])

const AS_THE_SDKS_SEND_IT = 'application/json, text/event-stream'

export function acceptsOf(header: string | undefined): AcceptedTypes {
  if (header === undefined || header === AS_THE_SDKS_SEND_IT) return 'both'
  const ranges = header
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const json = ranges.some((range) => JSON_RANGES.has(range))
  const sse = ranges.some((range) => SSE_RANGES.has(range))
  if (json === sse) return 'both'
  return json ? 'json' : 'sse'
}

/**
 * RFC 9110 section 12.5.3: a coding that is named, or meant by `*`, is accepted unless its weight is 0. A client that names
 * none may take any, and gets none.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const codings = header.split(',').map((coding) => coding.split(';').map((part) => part.trim()))
  const meant = (names: ReadonlySet<string>) =>
    codings.find(([name = '']) => names.has(name.toLowerCase()))
  const [, ...weights] = meant(GZIP) ?? meant(ANY) ?? ['', 'q=0']
  return !weights.some((weight) => NO_WEIGHT.test(weight))
}

const GZIP: ReadonlySet<string> = new Set(['gzip', 'x-gzip'])
const ANY: ReadonlySet<string> = new Set(['*'])
const NO_WEIGHT = /^q\s*=\s*0(?:\.0{0,3})?$/i
