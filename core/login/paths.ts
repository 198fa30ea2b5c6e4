/**
 * The paths of the login, and the challenge that leads to them. Every start of the function mcp
 * reads this file, so the documents themselves are in metadata.ts.
 */

export const AUTHORIZE_PATH = '/authorize'
export const TOKEN_PATH = '/token'
export const REGISTER_PATH = '/register'
export const REVOKE_PATH = '/revoke'
/** Followed by the secret of an invitation. */
export const INVITE_PATH = '/invite/'
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server'
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/** The paths of MCP that a login is for; the first one is the resource of the root document. */
export const RESOURCE_PATHS: readonly string[] = ['/mcp', '/v1/mcp', '/v1/mcp/sse']

/**
 * The one scope: list tools and call them, within the scope of the key. Clients may ask for others,
 * which are ignored (RFC 6749 section 3.3).
 */
export const LOGIN_SCOPE = 'tools'

/** The value of WWW-Authenticate of a 401 (RFC 9728 section 5.1). `sent`: a credential came. */
export function writeChallenge(issuer: string, resourcePath: string, sent: boolean): string {
  const error = sent ? ', error="invalid_token"' : ''
  return `Bearer resource_metadata="${issuer}${RESOURCE_METADATA_PATH}${resourcePath}", scope="${LOGIN_SCOPE}"${error}`
}
