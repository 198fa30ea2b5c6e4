/**
 * The way to an issuer and back: authorization code with PKCE (RFC 7636). This file alone uses
 * storage: the state and the verifier of one redirect, in this tab, and they are removed before the
 * answer is looked at. So no answer counts twice, nor in another tab.
 */
import { ApiError, tryCredential } from '../api/client.ts'

/** A way to sign in, as the gateway lists it (lambdas/admin/sign-in-ways.ts). */
export type Way = {
  readonly issuer: string
  readonly audience: 'administrators' | 'users'
  readonly isOwn: boolean
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly resource?: string
}

export type Tokens = {
  readonly accessToken: string
  readonly expiresInSec?: number
  readonly refreshToken?: string
}

type Left = {
  readonly way: Way
  readonly state: string
  readonly verifier: string
  readonly namesIssuer: boolean
  readonly hash: string
}

const KEPT = 'sign-in'
/** Characters of an issuer's own words that are shown. */
const WORDS_MAX = 300

/** Asks the gateway to exchange something at the issuer of a way. */
export function askSignIn<T>(
  step: string,
  { audience, issuer }: Way,
  more: object = {},
): Promise<T> {
  const body = { issuer, audience, ...more }
  return tryCredential<T>(`console/sign-in/${step}`, {}, { method: 'POST', body, keepalive: true })
}

/** Sends the browser to the issuer. `redirectUri`: the one address that issuers know. */
export async function leave(way: Way, redirectUri: string): Promise<void> {
  // State and verifier are kept for an origin, so the sign-in begins at that of the answer.
  if (new URL(redirectUri).origin !== location.origin) return location.assign(redirectUri)
  type Start = { readonly authorizationUrl: string; readonly namesIssuer: boolean }
  const { authorizationUrl, namesIssuer } = await askSignIn<Start>('start', way)
  const [state, verifier] = [makeSecret(), makeSecret()]
  const left: Left = { way, state, verifier, namesIssuer, hash: location.hash }
  sessionStorage.setItem(KEPT, JSON.stringify(left))
  const url = new URL(authorizationUrl)
  const query = {
    response_type: 'code',
    client_id: way.clientId,
    redirect_uri: redirectUri,
    scope: way.scopes.join(' '),
    state,
    // An issuer of OpenID writes it into the id token, which the gateway checks.
    nonce: state,
    code_challenge: toBase64Url(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)),
    ),
    code_challenge_method: 'S256',
    // Some issuers give a refresh token only to a person who is asked.
    ...(way.scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
    ...(way.resource === undefined ? {} : { resource: way.resource }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

/**
 * Reads the answer of an issuer out of the address, and removes it there. Undefined if there is
 * none. Throws an ApiError for an answer that this tab has not asked for, and for a refusal.
 */
export async function comeBack(): Promise<{ way: Way; tokens: Tokens } | undefined> {
  const answer = new URLSearchParams(location.search)
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  if (!answer.has('state') && !answer.has('code') && !answer.has('error')) return undefined
  history.replaceState(null, '', location.pathname + location.hash)
  const left: Left | undefined = kept === null ? undefined : JSON.parse(kept)
  if (left === undefined || answer.get('state') !== left.state) {
    return refuse('This answer does not belong to a sign-in of this tab. Sign in again.')
  }
  const { namesIssuer, state, verifier, way } = left
  const iss = answer.get('iss')
  if (iss === null ? namesIssuer : iss !== way.issuer) {
    return refuse('The answer came from another issuer than you chose. Sign in again.')
  }
  const code = answer.get('code')
  if (code === null) {
    const words = answer.get('error_description') ?? answer.get('error') ?? 'no reason'
    return refuse(`${new URL(way.issuer).host} did not sign you in: ${words.slice(0, WORDS_MAX)}`)
  }
  const tokens = await askSignIn<Tokens>('tokens', way, { code, verifier, nonce: state })
  history.replaceState(null, '', location.pathname + left.hash)
  dispatchEvent(new HashChangeEvent('hashchange'))
  return { way, tokens }
}

function refuse(detail: string): never {
  throw new ApiError(0, { detail })
}

/** 256 random bits. */
function makeSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer)
}

function toBase64Url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
