/** What the token endpoint answers. */
import type { Result } from '../../errors.ts'
import type { OAuthError } from '../../login/authorize-request.ts'

/** The answer of the token endpoint (RFC 6749 section 5.1). */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

export type TokenResult = Result<TokenAnswer, OAuthError>

export const INVALID_GRANT: OAuthError = {
  error: 'invalid_grant',
  description: 'The code or refresh token is unknown, expired or ended. Log in again.',
}
