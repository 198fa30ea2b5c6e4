/**
 * The upstream of a fuzzed gateway: does what the current request's plan says, and checks its
 * requests, since no argument may change the target of a call.
 */
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import { ACCESS_TOKEN } from './canaries.ts'
import type { UpstreamPlan } from './upstream-plans.ts'

export type FuzzedUpstream = Upstream & {
  plan: UpstreamPlan
  /** The faults that no request may have. */
  readonly faults: string[]
}

/** The origin that all skills of a fuzzed gateway call. */
export const ORIGIN = 'https://api.example'

export function fuzzedUpstream(secrets: readonly string[]): FuzzedUpstream {
  const upstream: FuzzedUpstream = {
    plan: { kind: 'echo' },
    faults: [],
    send: async (request, { responseBytesMax, showHeaders, signal }) => {
      upstream.faults.push(...faultsOf(request, secrets))
      const { plan } = upstream
      switch (plan.kind) {
        case 'echo':
          return answered(JSON.stringify(asksForToken(request) ? TOKEN_ANSWER : echoOf(request)))
        case 'answer':
          return { kind: 'answered', response: withHeaders(responseOf(plan), showHeaders) }
        case 'hang':
          await aborted(signal)
          return { kind: 'cut' }
        case 'too_large':
          return { kind: 'too_large', bytesMax: responseBytesMax }
        case 'unreachable':
        case 'refused_target':
          return { kind: plan.kind, detail: 'is not there' }
        case 'throw':
          throw new Error('a bug in the adapter')
        default:
          return plan satisfies never
      }
    },
  }
  return upstream
}

function faultsOf(request: UpstreamRequest, secrets: readonly string[]): readonly string[] {
  const faults: string[] = []
  const url = URL.parse(request.url)
  if (url?.origin !== ORIGIN) faults.push('an upstream of another origin was asked')
  if (url?.href !== request.url) faults.push('the URL is not written as it is read')
  if (secrets.some((secret) => url?.pathname.includes(secret)))
    faults.push('a secret is in the path')
  for (const [name, value] of Object.entries(request.headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) faults.push('a header name that cannot be sent')
    if (/[\0\r\n]/.test(value)) faults.push('a header value that cannot be sent')
  }
  return faults
}

function responseOf(plan: UpstreamPlan & { kind: 'answer' }) {
  const { charset, mediaType, retryAfter, status } = plan
  const body = Buffer.from(plan.body, 'latin1')
  const response = { status, mediaType, charset, body }
  return retryAfter === undefined ? response : { ...response, retryAfter }
}

/** Headers that repeat the body, whatever it holds. */
function withHeaders(
  response: ReturnType<typeof responseOf>,
  showHeaders: readonly string[] | undefined,
): UpstreamResponse {
  if (showHeaders === undefined) return response
  const text = response.body.toString('utf8')
  return { ...response, headers: Object.fromEntries(showHeaders.map((name) => [name, text])) }
}

const TOKEN_ANSWER = { access_token: ACCESS_TOKEN, token_type: 'Bearer', expires_in: 3_600 }

function asksForToken({ url }: UpstreamRequest): boolean {
  return url === `${ORIGIN}/token`
}

/** A body with members that a skill may pick, or that look like a result of MCP. */
function echoOf(request: UpstreamRequest): object {
  return { ...request, a: 1, content: [{ type: 'text', text: JSON.stringify(request) }] }
}

function answered(text: string): UpstreamAnswer {
  const body = Buffer.from(text)
  const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
  return { kind: 'answered', response }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
