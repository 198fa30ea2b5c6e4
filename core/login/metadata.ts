/**
 * The documents by which clients find the login: of the authorization server (RFC 8414) and of the
 * protected resource (RFC 9728). The endpoints have fixed paths on the origin of `/mcp`, because
 * clients of MCP 2025-03-26 and hosted clients guess them.
 */

import type { Issuer } from '../issuers/issuer.ts'
import type { JsonObject } from '../json/json.ts'
import type { Settings } from '../settings.ts'
import {
  AUTHORIZE_PATH,
  REGISTER_PATH,
  RESOURCE_METADATA_PATH,
  RESOURCE_PATHS,
  REVOKE_PATH,
  TOKEN_PATH,
} from './paths.ts'
import { ALL_SCOPES, listScopes } from './token-scopes.ts'

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
    scopes_supported: ALL_SCOPES.split(' '),
  }
}

/**
 * The document of one resource (RFC 9728). The gateway's own login stands first, because many
 * clients try the first server only. `resourcePath` is one of RESOURCE_PATHS.
 */
export function describeResource(
  settings: Pick<Settings, 'issuers' | 'login'>,
  origin: string,
  resourcePath: string,
): JsonObject {
  const { issuers, login } = settings
  const own = login === undefined ? [] : [login.issuer]
  return {
    resource: `${origin}${resourcePath}`,
    authorization_servers: [...own, ...issuers.map(({ issuer }) => issuer)],
    scopes_supported: listScopes(settings),
    bearer_methods_supported: ['header'],
    resource_name: 'Skillgate',
  }
}

/**
 * Where a client of MCP 2025-03-26 finds the authorization server that it looks for on the origin
 * of `/mcp`. Nearly every server has this document of OpenID Connect, and few that of RFC 8414.
 */
export function toServerMetadataUrl({ issuer }: Issuer): string {
  const bare = issuer.endsWith('/') ? issuer.slice(0, -1) : issuer
  return `${bare}/.well-known/openid-configuration`
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
