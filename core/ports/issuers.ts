/** The port of other authorization servers: checks their tokens. */
import type { Issuer } from '../issuers/issuer.ts'
import type { JsonObject } from '../json/json.ts'

/** For agents at the doors of MCP, or for people at the admin API: audiences differ. */
export type TokenUse = 'agent' | 'admin'

export type TokenVerifier = {
  /** True if an issuer must be asked about the token, because it is no JWT: each new one is a request. */
  asksIssuer(token: string): boolean
  /**
   * Checks a token's issuer, signature (or asks its issuer), audience, type and times. Answers are
   * kept: of a good token up to 60 s, of a bad one up to 30 s. Throws
   * `Fault('issuer_unavailable')` if the issuer's keys or answer are needed and cannot be had.
   */
  verify(token: string, use: TokenUse): Promise<Verification>
}

export type Verification =
  | { readonly kind: 'verified'; readonly token: VerifiedToken }
  /** No issuer makes tokens of this form: it may be a key. */
  | { readonly kind: 'not_a_token' }
  /** `reason` is a word for the log; no caller is told which check failed. */
  | { readonly kind: 'refused'; readonly reason: string }

export type VerifiedToken = {
  readonly issuer: Issuer
  readonly subject: string
  readonly scopes: readonly string[]
  readonly expiresAtMs: number
  readonly claims: JsonObject
}
