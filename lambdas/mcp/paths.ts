/**
 * The paths of Streamable HTTP, with and without a slash at the end, because a client that follows
 * a redirect drops its key; the paths of the public list of tools, of the server card, and those of
 * the login.
 */
import {
  AUTHORIZE_PATH,
  INVITE_PATH,
  OAUTH_CALLBACK_PATH,
  OAUTH_CLIENT_PATH,
  OPENID_METADATA_PATH,
  REGISTER_PATH,
  REVOKE_PATH,
  SECRETS_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from '../../core/login/paths.ts'

export const MCP_PATH = '/mcp'

const MCP_PATHS: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])

const CATALOG_PATHS: ReadonlySet<string> = new Set(['/catalog', '/v1/catalog'])

/** Of core/mcp/server-card.ts, which no start of the function reads. */
const CARD_PATHS: ReadonlySet<string> = new Set([
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/.well-known/mcp/server-card.json',
])

const LOGIN_PATHS: ReadonlySet<string> = new Set([
  AUTHORIZE_PATH,
  REGISTER_PATH,
  REVOKE_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
  OPENID_METADATA_PATH,
])

/** True for the paths of the login, which the door serves only if people can log in. */
export function isLoginPath(path: string): boolean {
  return LOGIN_PATHS.has(path) || path.startsWith(INVITE_PATH)
}

/** True for the pages on which users set secrets and log in at upstreams. */
export function isSecretsPath(path: string): boolean {
  return path.startsWith(SECRETS_PATH) || path === OAUTH_CALLBACK_PATH || path === OAUTH_CLIENT_PATH
}

export function isCatalogPath(path: string): boolean {
  return CATALOG_PATHS.has(path)
}

export function isCardPath(path: string): boolean {
  return CARD_PATHS.has(path)
}

export function isMcpPath(path: string): boolean {
  return MCP_PATHS.has(path)
}
