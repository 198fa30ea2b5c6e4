/**
 * The bytes written on a session's stream. No block has an `id:` field: this transport cannot be
 * resumed, and older Python clients drop heartbeats after an `id:`. Each event has exactly one
 * `data` line, because some readers take each line for a whole message. Bound by MCP 2024-11-05,
 * basic/transports, HTTP with SSE; docs/service.md, Streams; the WHATWG grammar of event streams.
 */

/** An empty comment. It keeps the stream alive and flushes bytes that the host buffers. */
export const COMMENT_BLOCK = ':\n\n'

/**
 * Writes the first block. It includes `retry`, because a separate block with `retry` alone makes
 * older Python clients hang while they connect (seen with `mcp` 1.22). The agent posts to `url` and
 * waits `retryMs` before it reconnects. Throws an `Error` for a url with white space or a wait that
 * is not a whole number: both are bugs of the gateway.
 */
export function writeEndpointBlock(endpoint: { url: string; retryMs: number }): string {
  if (!Number.isSafeInteger(endpoint.retryMs) || endpoint.retryMs < 0) {
    throw new Error('retryMs is not a whole number of milliseconds')
  }
  if (endpoint.url === '' || /\s/.test(endpoint.url)) {
    throw new Error('the endpoint url is empty or holds white space')
  }
  return `retry: ${endpoint.retryMs}\nevent: endpoint\ndata: ${endpoint.url}\n\n`
}

/**
 * Writes one JSON-RPC message as an event. Throws an `Error` for text with a line end, which would
 * split the event or let its author forge another event.
 */
export function writeMessageEvent(json: string): string {
  if (json === '' || /[\r\n]/.test(json)) {
    throw new Error('a message event takes one line of JSON')
  }
  return `event: message\ndata: ${json.replace(OTHER_LINE_ENDS, escapeUnit)}\n\n`
}

/**
 * More line ends of Python's `splitlines`, which older clients use. JSON has them only in strings.
 */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
