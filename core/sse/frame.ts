/**
 * The bytes written on a session's stream. A block never has an `id:` field: this transport cannot
 * be resumed, and older Python clients drop heartbeats after one. Each event has exactly one `data`
 * line, since some readers take each line for a whole message. Bound by MCP 2024-11-05,
 * basic/transports, HTTP with SSE; docs/service.md, Streams; the WHATWG grammar of event streams.
 */

/** An empty comment: keeps the stream alive, and flushes bytes that the host buffers. */
export const COMMENT = ':\n\n'

/**
 * The first block, `retry` included, since a block with `retry` alone makes older Python clients
 * hang at connect (seen with `mcp` 1.22). `url` is where the agent posts, `retryMs` its wait before
 * it reconnects. A url with white space or a fractional wait is a bug of ours and throws.
 */
export function endpointBlock(endpoint: { url: string; retryMs: number }): string {
  if (!Number.isSafeInteger(endpoint.retryMs) || endpoint.retryMs < 0) {
    throw new Error('retryMs is not a whole number of milliseconds')
  }
  if (endpoint.url === '' || /\s/.test(endpoint.url)) {
    throw new Error('the endpoint url is empty or holds white space')
  }
  return `retry: ${endpoint.retryMs}\nevent: endpoint\ndata: ${endpoint.url}\n\n`
}

/**
 * One JSON-RPC message as an event. Text with a line end is a bug of ours and throws: it would
 * split the event, or let its sender forge another one.
 */
export function messageEvent(json: string): string {
  if (json === '' || /[\r\n]/.test(json)) {
    throw new Error('a message event takes one line of JSON')
  }
  return `event: message\ndata: ${json.replace(OTHER_LINE_ENDS, escaped)}\n\n`
}

/**
 * Further line ends of Python's splitlines, which older clients use. In JSON only inside strings.
 */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
