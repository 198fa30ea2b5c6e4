/**
 * Finds token endpoints by the metadata of their authorization servers (RFC 8414), each once in a
 * while. The metadata must name the issuer that was asked and an endpoint at its origin, because the
 * secrets of the client are bound to that origin.
 */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'
import { readBody } from './oauth2-token-request.ts'

/** How long an endpoint is used before the metadata are read again. */
const ENDPOINT_KEPT_MS = 3_600_000
/** Issuers whose endpoint a process remembers. */
const ENDPOINTS_MAX = 1_000

type FoundEndpoint = Result<string, HookFailure | 'cut'>

export type TokenEndpoints = {
  find(issuer: string, context: Pick<HookContext, 'send'>): Promise<FoundEndpoint>
}

export function makeTokenEndpoints(clock: Clock): TokenEndpoints {
  const known = new Map<string, { readonly url: string; readonly untilMs: number }>()
  return {
    find: async (issuer, context) => {
      const kept = known.get(issuer)
      if (kept !== undefined && clock.nowMs() < kept.untilMs) return ok(kept.url)
      const found = await readMetadata(issuer, context)
      if (found.ok) {
        if (known.size >= ENDPOINTS_MAX) known.clear()
        known.set(issuer, { url: found.value, untilMs: clock.nowMs() + ENDPOINT_KEPT_MS })
      }
      return found
    },
  }
}

/** OAuth's document, then the one of OpenID Connect. */
async function readMetadata(
  issuer: string,
  { send }: Pick<HookContext, 'send'>,
): Promise<FoundEndpoint> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const url of places) {
    const answer = await send(toRequest(url))
    if (answer.kind === 'cut') return err('cut')
    if (answer.kind !== 'answered') return fail('could not be read', 'unreachable')
    if (answer.response.status === 200) return readEndpoint(issuer, readBody(answer.response))
  }
  return fail('are not there', 'unreadable')
}

function readEndpoint(issuer: string, metadata: JsonObject | undefined): FoundEndpoint {
  if (metadata?.['issuer'] !== issuer) return fail('name another issuer', 'unreadable')
  const endpoint = metadata['token_endpoint']
  const isOwn =
    typeof endpoint === 'string' && URL.parse(endpoint)?.origin === new URL(issuer).origin
  return isOwn
    ? ok(endpoint)
    : fail('name no token endpoint at its own host; set token_url', 'unreadable')
}

function toRequest(url: string): UpstreamRequest {
  const headers = { accept: 'application/json', 'user-agent': 'Skillgate' }
  return { method: 'GET', url, headers, body: undefined }
}

function fail(problem: string, upstreamFault: 'unreachable' | 'unreadable'): FoundEndpoint {
  return err({ detail: `The metadata of the authorization server ${problem}.`, upstreamFault })
}
