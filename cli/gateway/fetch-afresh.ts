/**
 * Fetches after work that may have blocked the event loop, such as reading a document or loading
 * the CDK.
 */

/**
 * Works as `fetch`, which reuses connections. A server closes a connection that is unused for
 * seconds. A busy process does not see that close, and its next request would fail on the closed
 * connection. So the event loop gets two turns first: one that may have begun already, and one that
 * reads the closes that arrived meanwhile. Rejects as `fetch` does.
 */
export async function fetchAfresh(url: URL | string, init: RequestInit): Promise<Response> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return fetch(url, init)
}
