/**
 * Asks an issuer about an opaque token (RFC 7662). The gateway authenticates by HTTP Basic. The
 * answer is believed, since it comes from the configured place over TLS.
 */
import { Fault } from '../../core/errors.ts'
import type { Introspection } from '../../core/issuers/issuer.ts'
import type { Verification } from '../../core/ports/issuers.ts'
import { fetchObject, type IssuerRequests, makeFormPost } from './fetch-object.ts'
import {
  type ClaimsContext,
  hasAudience,
  judgeClaims,
  listAudiences,
  refuseToken,
} from './judge-claims.ts'
import type { IntrospectingIssuer } from './token-form.ts'
import { CLOCK_TOLERANCE_SEC } from './verify-jwt.ts'

export type IntrospectionNeeds = IssuerRequests & {
  /** The secret itself. Throws `Fault('store_unavailable')` if it cannot be read. */
  readonly readClientSecret: (introspection: Introspection) => Promise<string>
}

/** Throws `Fault('issuer_unavailable')` if the issuer does not answer as RFC 7662 says. */
export async function introspect(
  needs: IntrospectionNeeds,
  token: string,
  context: ClaimsContext & { readonly issuer: IntrospectingIssuer },
): Promise<Verification> {
  const { issuer, nowMs, use } = context
  const { introspection } = issuer
  const secret = await needs.readClientSecret(introspection)
  const answer = await fetchObject(needs, makeQuestion(introspection, secret, token))
  if (!answer.ok) {
    throw new Fault('issuer_unavailable', `issuer ${issuer.issuer}: introspection: ${answer.error}`)
  }
  const claims = answer.value
  if (claims['active'] !== true) return refuseToken('inactive')
  if (claims['iss'] !== undefined && claims['iss'] !== issuer.issuer) return refuseToken('iss')
  const audiences = listAudiences(issuer, use)
  if (audiences.length > 0 && !hasAudience(claims, audiences)) return refuseToken('aud')
  const nowSec = nowMs / 1_000
  const { exp, nbf } = claims
  if (typeof exp === 'number' && exp <= nowSec - CLOCK_TOLERANCE_SEC) return refuseToken('exp')
  if (typeof nbf === 'number' && nbf > nowSec + CLOCK_TOLERANCE_SEC) return refuseToken('nbf')
  return judgeClaims(claims, { issuer, nowMs, use })
}

function makeQuestion({ clientId, url }: Introspection, secret: string, token: string) {
  const pair = `${encodeForm(clientId)}:${encodeForm(secret)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return makeFormPost(url, { token, token_type_hint: 'access_token' }, authorization)
}

/** RFC 6749 2.3.1: id and secret are form-encoded before they are joined. */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}
