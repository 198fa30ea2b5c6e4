/**
 * What is written on a session's stream, byte for byte. No block ever has an `id:` field: this
 * transport has no resumption, and older Python clients lose their heartbeats over one. Each event
 * has exactly one `data` line, since some readers take each line for a whole message. Bound by MCP
 * 2024-11-05, basic/transports, HTTP with SSE; docs/service.md, Streams; the WHATWG grammar of
 * event streams.
 */

/** An empty comment: keeps the stream alive, and pushes what the host holds back. */
export const COMMENT = ':\n\n'

/**
 * The first block, `retry` included: a block with `retry` alone hangs older Python clients at
 * connect (seen with `mcp` 1.22). `url` is where the agent posts, `retryMs` its wait before it
 * reconnects. Throws on a bug of ours: a url with white space, a wait that is no whole number.
 */
export function endpointBlock(what: { url: string; retryMs: number }): string {
  if (!Number.isSafeInteger(what.retryMs) || what.retryMs < 0) {
    throw new Error('retryMs is not a whole number of milliseconds')
  }
  if (what.url === '' || /\s/.test(what.url)) {
    throw new Error('the endpoint url is empty or holds white space')
  }
  return `retry: ${what.retryMs}\nevent: endpoint\ndata: ${what.url}\n\n`
}

/**
 * One JSON-RPC message as an event. Throws on a bug of ours: JSON on several lines would split the
 * event, and a text with a line of its own choosing would forge one.
 */
export function messageEvent(json: string): string {
  if (json === '' || /[\r\n]/.test(json)) {
    throw new Error('a message event takes one line of JSON')
  }
  return `event: message\ndata: ${json.replace(OTHER_LINE_ENDS, escaped)}\n\n`
}

/** Line ends for Python's splitlines, by which older clients read a stream. In JSON only in strings. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
