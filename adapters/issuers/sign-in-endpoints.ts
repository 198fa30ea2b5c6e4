/**
 * Where people sign in at an issuer, and where their tokens are exchanged, by the issuer's metadata
 * (RFC 8414). The URLs are https, or http if the issuer itself is on this machine.
 */
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { fetchMetadata } from './fetch-keys.ts'
import type { IssuerRequests } from './fetch-object.ts'

export type SignInEndpoints = {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Undefined if tokens cannot be taken back. */
  readonly revocationUrl?: string
  /** Each answer to the browser must name the issuer (RFC 9207). */
  readonly namesIssuer: boolean
}

/** Endpoints change with years between; ten minutes bound the time with wrong ones. */
export const ENDPOINTS_KEPT_MS = 600_000
/** A failing issuer is asked once in this time, however many people press the button. */
export const ENDPOINTS_FAILED_MS = 30_000
/** More than there are issuers in the settings. */
const ISSUERS_KEPT_MAX = 10
/** Browsers and issuers take 2,000 characters everywhere. */
const URL_CHARS_MAX = 2_000

/** The error is a phrase for the log. */
export type FindEndpoints = (issuer: string) => Promise<Result<SignInEndpoints, string>>

/** Returns a function that remembers what it found. Requests at once share one look-up. */
export function makeFindEndpoints(
  requests: IssuerRequests & { readonly clock: Pick<Clock, 'alarm' | 'nowMs'> },
): FindEndpoints {
  const kept = new Map<
    string,
    { readonly untilMs: number; readonly found: ReturnType<FindEndpoints> }
  >()
  return async (issuer) => {
    const known = kept.get(issuer)
    if (known !== undefined && requests.clock.nowMs() < known.untilMs) return known.found
    const found = fetchMetadata(requests, issuer).then((metadata) =>
      metadata.ok ? readEndpoints(metadata.value, issuer) : metadata,
    )
    const keep = (keptMs: number) =>
      keepYoungest(
        kept,
        issuer,
        { untilMs: requests.clock.nowMs() + keptMs, found },
        ISSUERS_KEPT_MAX,
      )
    keep(ENDPOINTS_FAILED_MS)
    const endpoints = await found
    if (endpoints.ok) keep(ENDPOINTS_KEPT_MS)
    return endpoints
  }
}

function readEndpoints(metadata: JsonObject, issuer: string): Result<SignInEndpoints, string> {
  const read = (name: string) => readUrl(metadata[name], issuer)
  const authorizationUrl = read('authorization_endpoint')
  const tokenUrl = read('token_endpoint')
  const revocationUrl = read('revocation_endpoint')
  if (authorizationUrl === undefined) return err('metadata: no usable authorization_endpoint')
  if (tokenUrl === undefined) return err('metadata: no usable token_endpoint')
  return ok({
    authorizationUrl,
    tokenUrl,
    ...(revocationUrl === undefined ? {} : { revocationUrl }),
    namesIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
  })
}

/** A browser goes to such a URL, so a script of its own (`javascript:`) must not be one. */
function readUrl(value: Json | undefined, issuer: string): string | undefined {
  if (typeof value !== 'string' || value.length > URL_CHARS_MAX) return undefined
  const url = URL.parse(value)
  if (url === null || `${url.username}${url.password}${url.hash}` !== '') return undefined
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'))
  return isAllowed ? url.href : undefined
}
