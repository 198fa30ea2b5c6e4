/** Fetches after work that may have held the event loop: reading a document, loading the CDK. */

/**
 * As `fetch`, which keeps connections. A server ends one that is unused for seconds; while this process is busy it does not hear
 * of that, and its next request would fail on the ended connection. So the event loop gets two turns first: one that began before,
 * and one that reads the ends that arrived meanwhile. Rejects as `fetch` does.
 */
export async function fetchAfresh(url: URL | string, init: RequestInit): Promise<Response> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return fetch(url, init)
}
