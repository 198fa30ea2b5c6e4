/**
 * Verifies one JWT access token by the keys of its issuer: signature, then audience, type, times
 * and what else the issuer's setting asks for. A header names a key of the issuer and never a place
 * to get one from. Bound by RFC 7519, RFC 8725, RFC 9068 and ADR 0114.
 */
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { Fault } from '../../core/errors.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { TokenUse, Verification } from '../../core/ports/issuers.ts'
import { judgeClaims, listAudiences, refuseToken } from './judge-claims.ts'

/** Asymmetric alone: with HS256 a public key would be a secret to sign with. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']
/** Two clocks that are set by NTP differ less. */
export const CLOCK_TOLERANCE_SEC = 5

export type TokenCheck = {
  readonly issuer: Issuer
  readonly findKey: JWTVerifyGetKey
  readonly use: TokenUse
  readonly nowMs: number
  /** As it was read without the signature. */
  readonly header: JsonObject
}

export async function verifyJwt(token: string, check: TokenCheck): Promise<Verification> {
  const { findKey, header, issuer, nowMs, use } = check
  // RFC 7515 4.1.11: extensions that are not understood are refused, and none is.
  if (header['crit'] !== undefined) return refuseToken('crit')
  if (!hasType(issuer, header['typ'])) return refuseToken('typ')
  const audience = listAudiences(issuer, use)
  try {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      clockTolerance: CLOCK_TOLERANCE_SEC,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp', issuer.subjectClaim],
      ...(audience.length === 0 ? {} : { audience: [...audience] }),
    })
    // A cast, as in parsers: jose parsed the claims from JSON.
    return judgeClaims(payload as JsonObject, { issuer, use, nowMs })
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    return refuseToken(toReason(cause))
  }
}

/** RFC 7515 4.1.9: compared without case, and without `application/`. */
function hasType({ typ }: Issuer, given: JsonObject[string] | undefined): boolean {
  if (given === undefined) return typ === 'any'
  const name = String(given)
    .toLowerCase()
    .replace(/^application\//, '')
  return typ === 'any' ? name === 'jwt' || name === 'at+jwt' : name === typ.toLowerCase()
}

/** The word for the log. Errors that are not jose's are keys that it cannot use. */
function toReason(cause: unknown): string {
  if (cause instanceof errors.JWTExpired) return 'exp'
  if (cause instanceof errors.JWTClaimValidationFailed) return CLAIMS.get(cause.claim) ?? 'claim'
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  if (cause instanceof errors.JOSEAlgNotAllowed) return 'algorithm'
  if (cause instanceof errors.JWTInvalid || cause instanceof errors.JWSInvalid) return 'malformed'
  return 'key'
}

/** A claim that the issuer's setting names is not repeated in the log. */
const CLAIMS = new Map(['iss', 'aud', 'exp', 'nbf', 'iat', 'sub'].map((name) => [name, name]))
