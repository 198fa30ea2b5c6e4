/**
 * The documents by which clients find the login: of the authorization server (RFC 8414) and of the
 * protected resource (RFC 9728). The endpoints have fixed paths on the origin of `/mcp`, because
 * clients of MCP 2025-03-26 and hosted clients guess them.
 */
import type { JsonObject } from '../json/json.ts'

export const AUTHORIZE_PATH = '/authorize'
export const TOKEN_PATH = '/token'
export const REGISTER_PATH = '/register'
export const REVOKE_PATH = '/revoke'
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server'
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/** The paths of MCP that a login is for; the first one is the resource of the root document. */
export const RESOURCE_PATHS: readonly string[] = ['/mcp', '/v1/mcp', '/v1/mcp/sse']

/**
 * The one scope: list tools and call them, within the scope of the key. Clients may ask for others,
 * which are ignored (RFC 6749 section 3.3).
 */
export const LOGIN_SCOPE = 'tools'

/** `offline_access` is not listed: clients get a refresh token either way. */
export function describeServer(issuer: string): JsonObject {
  return {
    issuer,
    authorization_endpoint: `${issuer}${AUTHORIZE_PATH}`,
    token_endpoint: `${issuer}${TOKEN_PATH}`,
    registration_endpoint: `${issuer}${REGISTER_PATH}`,
    revocation_endpoint: `${issuer}${REVOKE_PATH}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [LOGIN_SCOPE],
  }
}

/** `resourcePath` is one of RESOURCE_PATHS. */
export function describeResource(issuer: string, resourcePath: string): JsonObject {
  return {
    resource: `${issuer}${resourcePath}`,
    authorization_servers: [issuer],
    scopes_supported: [LOGIN_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Skillgate',
  }
}

/** The path whose document a well-known path names; undefined for any other path. */
export function readResourcePath(wellKnownPath: string): string | undefined {
  const path = wellKnownPath.slice(RESOURCE_METADATA_PATH.length)
  if (path === '') return RESOURCE_PATHS[0]
  return RESOURCE_PATHS.find((one) => one === path)
}

/** True if a client may ask for a token for this resource; an absent one means ours. */
export function isOwnResource(issuer: string, resource: string | undefined): boolean {
  if (resource === undefined) return true
  const bare = resource.endsWith('/') ? resource.slice(0, -1) : resource
  return bare === issuer || RESOURCE_PATHS.some((path) => bare === `${issuer}${path}`)
}

/** The value of WWW-Authenticate of a 401 (RFC 9728 section 5.1). `sent`: a credential came. */
export function writeChallenge(issuer: string, resourcePath: string, sent: boolean): string {
  const error = sent ? ', error="invalid_token"' : ''
  return `Bearer resource_metadata="${issuer}${RESOURCE_METADATA_PATH}${resourcePath}", scope="${LOGIN_SCOPE}"${error}`
}
