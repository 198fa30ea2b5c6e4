/**
 * The paths of the login, and the challenge that leads to them. Every start of the function mcp
 * reads this file, so the documents themselves are in metadata.ts.
 */

import { isFunctionUrl } from '../settings/function-url.ts'
import type { Settings } from '../settings.ts'
import { listScopes } from './token-scopes.ts'

export const AUTHORIZE_PATH = '/authorize'
export const TOKEN_PATH = '/token'
export const REGISTER_PATH = '/register'
export const REVOKE_PATH = '/revoke'
/** Followed by the secret of an invitation. */
export const INVITE_PATH = '/invite/'
/** Followed by a link's token: the page on which a user sets missing secrets (secret-link.ts). */
export const SECRETS_PATH = '/secrets/'
/** Where authorization servers of upstreams send browsers back. */
export const OAUTH_CALLBACK_PATH = '/oauth/callback'
/** Describes the gateway as a client of such servers. */
export const OAUTH_CLIENT_PATH = '/.well-known/oauth-client.json'
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server'
/** Not served: tokens of the gateway's own login say nothing of a person. */
export const OPENID_METADATA_PATH = '/.well-known/openid-configuration'
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/** The paths of MCP that a login is for; the first one is the resource of the root document. */
export const RESOURCE_PATHS = ['/mcp', '/v1/mcp', '/v1/mcp/sse', '/v1/execute'] as const

/**
 * The origin that challenges and metadata name; undefined while no door takes a token. It comes
 * from the settings, because a request's Host may be the one of a proxy or of an attacker.
 */
export function findLoginOrigin({
  issuers,
  login,
  publicOrigin,
}: Pick<Settings, 'issuers' | 'login' | 'publicOrigin'>): string | undefined {
  if (login !== undefined) return login.issuer
  return issuers.length === 0 ? undefined : publicOrigin
}

export type LinkSettings = Pick<Settings, 'askForSecrets' | 'login' | 'prefix' | 'publicOrigin'>

/**
 * The origin of the page on which users set secrets; undefined if there is no such page. Nobody can
 * recognise a function URL, so no page there takes a key.
 */
export function findLinkOrigin({
  askForSecrets,
  login,
  publicOrigin,
}: Omit<LinkSettings, 'prefix'>): string | undefined {
  const origin = login?.issuer ?? publicOrigin
  return !askForSecrets || origin === undefined || isFunctionUrl(origin) ? undefined : origin
}

/** The resource of a request's path, which may end in a slash; `/mcp` for any other path. */
export function toResourcePath(path: string): string {
  const bare = path.endsWith('/') ? path.slice(0, -1) : path
  return RESOURCE_PATHS.find((one) => one === bare) ?? RESOURCE_PATHS[0]
}

/**
 * The value of WWW-Authenticate of a refusal (RFC 9728 section 5.1). `error` is undefined if no
 * credential came. All scopes are named at once: a server may bind a client to those that it
 * registered with.
 */
export function writeChallenge(
  settings: Pick<Settings, 'issuers' | 'login'>,
  origin: string,
  path: string,
  error: 'invalid_token' | 'insufficient_scope' | undefined,
): string {
  const told = error === undefined ? '' : `, error="${error}"`
  return `Bearer resource_metadata="${origin}${RESOURCE_METADATA_PATH}${toResourcePath(path)}", scope="${listScopes(settings).join(' ')}"${told}`
}
