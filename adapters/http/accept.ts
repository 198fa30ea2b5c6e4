/**
 * The body types that a client accepts for the answer to a POST of Streamable HTTP. Clients must
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
