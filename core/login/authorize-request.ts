/**
 * Reads the query of an authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707). The
 * client and its redirect URI are checked first: until both are known to be right, no answer may
 * send a browser anywhere.
 */
import { err, ok, type Result } from '../errors.ts'
import type { LoginClient } from './client-id.ts'
import { isAccountAsked } from './console-client.ts'
import { STATE_CHARS_MAX } from './limits.ts'
import { isOwnResource } from './metadata.ts'
import { isRegistered } from './redirects.ts'

/** An error that OAuth names, with a sentence for whoever reads the client's log. */
export type OAuthError = {
  readonly error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_target'
    | 'invalid_redirect_uri'
    | 'invalid_client_metadata'
    | 'unsupported_grant_type'
    | 'unsupported_response_type'
    | 'access_denied'
  readonly description: string
}

export type AuthorizeRequest = {
  readonly client: LoginClient
  readonly redirectUri: string
  readonly challenge: string
  readonly state: string | undefined
  /** The client asks for the scope `account` and may have it. */
  readonly account: boolean
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** The parameters of a query or of a form. A name that comes twice is refused. */
export function readParameters(text: string): Result<ReadonlyMap<string, string>, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) return err(`${name.slice(0, 40)}: came twice; send it once`)
    if (value !== '') parameters.set(name, value)
  }
  return ok(parameters)
}

/** The redirect URI, if it is one of the client's. */
export function readRedirectUri(
  parameters: ReadonlyMap<string, string>,
  client: LoginClient,
): string | undefined {
  const uri = parameters.get('redirect_uri')
  return uri !== undefined && isRegistered(uri, client.redirectUris) ? uri : undefined
}

/** Reads what follows once client and redirect URI are right. */
export function readAuthorizeRequest(
  parameters: ReadonlyMap<string, string>,
  { client, issuer, redirectUri }: { client: LoginClient; redirectUri: string; issuer: string },
): Result<AuthorizeRequest, OAuthError> {
  const state = parameters.get('state')
  const challenge = parameters.get('code_challenge')
  if ((state?.length ?? 0) > STATE_CHARS_MAX) {
    return refuse('invalid_request', `state: is over ${STATE_CHARS_MAX} characters`)
  }
  if (parameters.get('response_type') !== 'code') {
    return refuse('unsupported_response_type', 'response_type: must be code')
  }
  if (challenge === undefined || parameters.get('code_challenge_method') !== 'S256') {
    return refuse('invalid_request', 'code_challenge: PKCE with the method S256 is required')
  }
  if (!CHALLENGE.test(challenge)) {
    return refuse('invalid_request', 'code_challenge: must be 43 characters of base64url')
  }
  if (!isOwnResource(issuer, parameters.get('resource'))) {
    return refuse('invalid_target', `resource: is not one of this gateway, such as ${issuer}/mcp`)
  }
  const account = isAccountAsked(client, parameters.get('scope'))
  return ok({ client, redirectUri, challenge, state, account })
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** True if the verifier belongs to the S256 challenge (RFC 7636 section 4.6). */
export function matchesChallenge(
  digests: { sha256(text: string): string; equal(a: string, b: string): boolean },
  verifier: string,
  challenge: string,
): boolean {
  return VERIFIER.test(verifier) && digests.equal(digests.sha256(verifier), challenge)
}

function refuse(error: OAuthError['error'], description: string): Result<never, OAuthError> {
  return err({ error, description })
}
