/**
 * What a client accepts: gzip, and which body types in answer to a POST of Streamable HTTP. Clients
 * must name both types and many do not, so an absent header, a wildcard or one of the types is
 * enough. A client that accepts neither type is still answered; MCP does not define that case
 * (2025-11-25, basic/transports, Sending messages).
 */

export type AcceptedTypes = 'json' | 'sse' | 'both'

const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*'])
const SSE_RANGES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*', '*/*'])

const ACCEPT_OF_THE_SDKS = 'application/json, text/event-stream'

/** `header`: the value of Accept. */
export function readAcceptedTypes(header: string | undefined): AcceptedTypes {
  if (header === undefined || header === ACCEPT_OF_THE_SDKS) return 'both'
  const ranges = header
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const json = ranges.some((range) => JSON_RANGES.has(range))
  const sse = ranges.some((range) => SSE_RANGES.has(range))
  if (json === sse) return 'both'
  return json ? 'json' : 'sse'
}

/**
 * RFC 9110 section 12.5.3: a coding that the header names, or that `*` includes, is accepted unless
 * its weight is 0. A client without the header gets no gzip.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const codings = header.split(',').map((coding) => coding.split(';').map((part) => part.trim()))
  const findCoding = (names: ReadonlySet<string>) =>
    codings.find(([name = '']) => names.has(name.toLowerCase()))
  const [, ...weights] = findCoding(GZIP_NAMES) ?? findCoding(ANY_CODING) ?? ['', 'q=0']
  return !weights.some((weight) => ZERO_WEIGHT.test(weight))
}

const GZIP_NAMES: ReadonlySet<string> = new Set(['gzip', 'x-gzip'])
const ANY_CODING: ReadonlySet<string> = new Set(['*'])
const ZERO_WEIGHT = /^q\s*=\s*0(?:\.0{0,3})?$/i
