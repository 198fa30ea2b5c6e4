/**
 * What the setting of an issuer asks of a token beyond its signature, for JWTs and for answers of
 * introspection alike.
 */
import { toAudienceForms } from '../../core/issuers/audience-forms.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import type { TokenUse, Verification } from '../../core/ports/issuers.ts'

/** A token from the future by more than this has a wrong clock behind it. */
export const ISSUED_AHEAD_MAX_SEC = 60
/** Characters of a subject: OpenID Connect allows 255. */
export const SUBJECT_CHARS_MAX = 255

/** By RFC 9068, OpenID Connect, Entra ID v1 and Okta. The first that is present counts. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'appid', 'cid'] as const

export type ClaimsContext = {
  readonly issuer: Issuer
  readonly use: TokenUse
  readonly nowMs: number
}

/** `claims` are believed: their signature was verified, or the issuer itself answered them. */
export function judgeClaims(
  claims: JsonObject,
  { issuer, nowMs, use }: ClaimsContext,
): Verification {
  const { exp, iat } = claims
  const subject = claims[issuer.subjectClaim]
  if (typeof exp !== 'number') return refuseToken('exp')
  if (iat !== undefined && !(Number(iat) <= nowMs / 1_000 + ISSUED_AHEAD_MAX_SEC)) {
    return refuseToken('iat')
  }
  if (issuer.tokenUse !== undefined && claims['token_use'] !== issuer.tokenUse) {
    return refuseToken('token_use')
  }
  // RFC 7800: such a token works only with a proof of its key, which a bearer does not send.
  if (claims['cnf'] !== undefined) return refuseToken('cnf')
  if (use === 'agent' && issuer.clientIds.length > 0 && !isOfClient(issuer, claims)) {
    return refuseToken('client')
  }
  const isSubject =
    typeof subject === 'string' && subject !== '' && subject.length <= SUBJECT_CHARS_MAX
  if (!isSubject) return refuseToken('sub')
  return {
    kind: 'verified',
    token: {
      issuer,
      subject,
      scopes: readScopes(claims[issuer.scopeClaim]),
      expiresAtMs: Math.min(exp * 1_000, Number.MAX_SAFE_INTEGER),
      claims,
    },
  }
}

export function refuseToken(reason: string): Verification {
  return { kind: 'refused', reason }
}

/** One of these must be in the token; [] if the issuer writes none into tokens. */
export function listAudiences(issuer: Issuer, use: TokenUse): readonly string[] {
  return toAudienceForms(use === 'admin' ? (issuer.admin?.audiences ?? []) : issuer.audiences)
}

/** `aud` is a text or a list of texts (RFC 7519 4.1.3). */
export function hasAudience(claims: JsonObject, audiences: readonly string[]): boolean {
  return toTexts(claims['aud']).some((one) => audiences.includes(one))
}

function isOfClient({ clientIds }: Issuer, claims: JsonObject): boolean {
  const client = CLIENT_CLAIMS.map((name) => claims[name]).find((value) => value !== undefined)
  return typeof client === 'string' && clientIds.includes(client)
}

/** A text with spaces between the scopes (RFC 8693 4.2), or a list. */
function readScopes(value: Json | undefined): readonly string[] {
  return toTexts(value).flatMap((text) => text.split(' ').filter((scope) => scope !== ''))
}

function toTexts(value: Json | undefined): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((one) => typeof one === 'string')
}
