/**
 * `fetch` over the port of upstreams, for the OAuth client: the same guard of addresses as calls, no
 * redirects, a bounded answer and a bounded time.
 */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'

/** Bytes of an answer; a metadata document or a long JWT has 10 kB. */
export const OAUTH_ANSWER_BYTES_MAX = 65_536
/** Milliseconds that one request may take; a login makes five at most. */
export const OAUTH_WAIT_MS = 5_000

type Parts = { readonly clock: Clock; readonly upstream: Upstream }

type Sent = {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Returns a function that rejects unless an answer came. */
export function makeGuardedFetch(
  { clock, upstream }: Parts,
  uid: string,
): (url: string, sent: Sent) => Promise<Response> {
  return async (url, { body, headers, method }) => {
    const late = new AbortController()
    const cancel = clock.alarm(OAUTH_WAIT_MS, () => late.abort('late'))
    const request = {
      method: method === 'POST' ? ('POST' as const) : ('GET' as const),
      url,
      headers: toLowerCase(headers ?? {}),
      body: body === undefined || body === null ? undefined : String(body),
    }
    const limits = {
      responseBytesMax: OAUTH_ANSWER_BYTES_MAX,
      redirectsMax: 0,
      signal: late.signal,
      uid,
    }
    return toResponse(await upstream.send(request, limits).finally(cancel))
  }
}

function toResponse(answer: UpstreamAnswer): Response {
  if (answer.kind !== 'answered') throw new TypeError(answer.kind)
  const { body, mediaType, status } = answer.response
  const bytes = new Uint8Array(body)
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : bytes, { status, headers: { 'content-type': mediaType } })
}

function toLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
