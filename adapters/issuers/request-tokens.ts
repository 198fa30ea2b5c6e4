/**
 * Exchanges a code or a refresh token at the token endpoint of an issuer (RFC 6749, OpenID Connect
 * Core 1.0), and takes a token back (RFC 7009), for a public client. Nothing that the issuer writes
 * is passed on but tokens and their lifetime, and no code or token is logged.
 */
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { fetchObject, type IssuerRequests, makeFormPost } from './fetch-object.ts'
import { hasAudience } from './judge-claims.ts'

/** A person waits; issuers answer within a second. */
export const TOKENS_WAIT_MS = 8_000
/** Characters of a token: the Authorization header may have 8 kB. */
export const TOKEN_CHARS_MAX = 8_000

const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${TOKEN_CHARS_MAX}}$`)
/** Most seconds that are believed; the console asks again sooner. */
const EXPIRES_IN_SEC_MAX = 86_400

export type IssuedTokens = {
  readonly accessToken: string
  /** Undefined if the issuer does not say. */
  readonly expiresInSec?: number
  /** Undefined if the issuer gives none: the person signs in again when the token ends. */
  readonly refreshToken?: string
}

export type TokenQuestion = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly form: { readonly [name: string]: string }
  /** What the id token must name; undefined where none is asked for. */
  readonly idToken?: { readonly issuer: string; readonly nonce: string } | undefined
}

/**
 * The error is a phrase for the log: the issuer refused, or answered something else than tokens.
 * Throws `Fault('issuer_unavailable')` if it does not answer.
 */
export async function requestTokens(
  requests: IssuerRequests,
  question: TokenQuestion,
): Promise<Result<IssuedTokens, string>> {
  const { clientId, form, tokenUrl } = question
  const body = { ...form, client_id: clientId }
  const answer = await fetchObject(requests, makeFormPost(tokenUrl, body), TOKENS_WAIT_MS)
  if (answer.ok) return readTokens(answer.value, question)
  if (answer.error.startsWith('status 4')) return answer
  throw new Fault('issuer_unavailable', `sign-in: tokens: ${answer.error}`)
}

/** Ends a token at its issuer. An issuer that fails is no error: the token ends by itself. */
export async function revokeToken(
  requests: IssuerRequests,
  { clientId, revocationUrl, token }: { revocationUrl: string; clientId: string; token: string },
): Promise<void> {
  await fetchObject(requests, makeFormPost(revocationUrl, { token, client_id: clientId }))
}

function readTokens(
  answer: JsonObject,
  { clientId, idToken }: TokenQuestion,
): Result<IssuedTokens, string> {
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  const { expires_in: expiresIn, token_type: type } = answer
  if (typeof accessToken !== 'string' || !TOKEN.test(accessToken)) return err('no access token')
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return err('no bearer token')
  if (idToken !== undefined && !isIdTokenOf(answer['id_token'], { ...idToken, clientId })) {
    return err('id token of another sign-in')
  }
  const hasRefresh = typeof refreshToken === 'string' && TOKEN.test(refreshToken)
  const seconds = Number(expiresIn)
  return ok({
    accessToken,
    ...(seconds > 0 ? { expiresInSec: Math.min(seconds, EXPIRES_IN_SEC_MAX) } : {}),
    ...(hasRefresh ? { refreshToken } : {}),
  })
}

/**
 * The id token came from the token endpoint over TLS, so its signature need not be checked (OpenID
 * Connect Core 1.0 section 3.1.3.7). It only proves that the code belongs to this sign-in.
 */
function isIdTokenOf(
  token: JsonObject[string] | undefined,
  expected: { readonly issuer: string; readonly nonce: string; readonly clientId: string },
): boolean {
  if (typeof token !== 'string' || token.length > TOKEN_CHARS_MAX) return false
  const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url'))
  if (!claims.ok || !isJsonObject(claims.value)) return false
  const { iss, nonce } = claims.value
  const isForClient = hasAudience(claims.value, [expected.clientId])
  return iss === expected.issuer && nonce === expected.nonce && isForClient
}
