/**
 * The tokens of a user's login at an upstream, as one secret of the user: a text that no template
 * may name, because its binding says that it is a login. Bound by docs/upstream-credentials.md.
 */
import { isJsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import type { OAuthTokens } from '../ports/oauth-client.ts'

export type LoginTokens = {
  readonly accessToken: string
  /** Undefined if the server named no end. */
  readonly untilMs?: number
  /** Undefined if the login ends with the access token. */
  readonly refreshToken?: string
  readonly clientId: string
  readonly issuer: string
  readonly tokenEndpoint: string
}

/** An access token that ends during a call fails the call, so its last minute is not used. */
const MARGIN_MS = 60_000

export function writeLoginTokens(tokens: LoginTokens): string {
  return JSON.stringify(tokens)
}

/** Undefined for a text that is no login, such as a value that an administrator set. */
export function readLoginTokens(text: string): LoginTokens | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { accessToken, clientId, issuer, refreshToken, tokenEndpoint, untilMs } = parsed.value
  if (typeof accessToken !== 'string' || typeof clientId !== 'string') return undefined
  if (typeof issuer !== 'string' || typeof tokenEndpoint !== 'string') return undefined
  return {
    accessToken,
    clientId,
    issuer,
    tokenEndpoint,
    ...(typeof untilMs === 'number' ? { untilMs } : {}),
    ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
  }
}

export function isFresh({ accessToken, untilMs }: LoginTokens, nowMs: number): boolean {
  return accessToken !== '' && (untilMs === undefined || nowMs < untilMs - MARGIN_MS)
}

/** A server that sends no new refresh token leaves the old one in use (RFC 6749 section 6). */
export function withTokens(
  login: Pick<LoginTokens, 'clientId' | 'issuer' | 'refreshToken' | 'tokenEndpoint'>,
  { accessToken, expiresInSec, refreshToken = login.refreshToken }: OAuthTokens,
  nowMs: number,
): LoginTokens {
  const { clientId, issuer, tokenEndpoint } = login
  return {
    accessToken,
    clientId,
    issuer,
    tokenEndpoint,
    ...(expiresInSec === undefined ? {} : { untilMs: nowMs + expiresInSec * 1_000 }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  }
}

/** The login after the server has refused its refresh token: it gives no token any more. */
export function endLogin(login: LoginTokens): LoginTokens {
  const { clientId, issuer, tokenEndpoint } = login
  return { accessToken: '', untilMs: 0, clientId, issuer, tokenEndpoint }
}
