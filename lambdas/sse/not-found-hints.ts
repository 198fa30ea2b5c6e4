/**
 * Answers requests for unknown paths with the URL that was probably meant. Clients that take a 401
 * as a sign of OAuth request `/.well-known/*` and `/register`; the answer says that there is no
 * OAuth. Bound by docs/service.md, Credentials and Unknown paths.
 */
import type { Refusal } from '../../core/errors.ts'
import { findLoginOrigin, RESOURCE_METADATA_PATH } from '../../core/login/paths.ts'
import type { Settings } from '../../core/settings.ts'

export const SSE_PATH = '/v1/mcp/sse'
export const MESSAGES_PATH = '/v1/mcp/messages'
export const EXECUTE_PATH = '/v1/execute'

export type NotFoundHint =
  | { readonly status: number; readonly body: object }
  | { readonly refusal: Refusal }

export function toNotFoundHint(path: string, settings: Settings): NotFoundHint {
  if (path === '/') return { status: 200, body: describeGateway(settings) }
  if (path === '/healthz') return { status: 200, body: { status: 'ok', version: settings.version } }
  if (path.startsWith('/.well-known/') || OAUTH_PATHS.has(path)) {
    return { status: 404, body: { error: 'not_found', error_description: describeLogin(settings) } }
  }
  return {
    refusal: {
      code: 'not_found',
      detail: `path: there is nothing here. ${suggestUrl(path, settings)}`,
    },
  }
}

const OAUTH_PATHS: ReadonlySet<string> = new Set(['/register', '/authorize', '/token'])

const NO_OAUTH =
  'Skillgate uses API keys, not OAuth. After a 401, the key you sent is unknown or expired; send Authorization: Bearer <API key>.'

const SERVERS_ELSEWHERE = `There is nothing here. The servers to log in at are named at ${RESOURCE_METADATA_PATH}.`

function describeLogin(settings: Settings): string {
  return findLoginOrigin(settings) === undefined ? NO_OAUTH : SERVERS_ELSEWHERE
}

function describeGateway(settings: Settings): object {
  return {
    name: 'skillgate',
    version: settings.version,
    what: 'A gateway that gives AI agents callable tools over the Model Context Protocol.',
    ...(settings.mcpUrl === undefined ? {} : { mcp: settings.mcpUrl }),
    sse: SSE_PATH,
    execute: settings.executeUrl ?? EXECUTE_PATH,
    authorization: 'Authorization: Bearer <API key>',
  }
}

/** Names the URL that the caller probably meant. */
function suggestUrl(path: string, settings: Settings): string {
  const bare = path.toLowerCase().replace(/\/+$/, '')
  if (bare.endsWith('/sse')) return `The event stream is GET ${SSE_PATH}.`
  if (bare.endsWith('/messages') || bare.endsWith('/message')) {
    return `Messages go to ${MESSAGES_PATH}?session_id=… as the endpoint event of GET ${SSE_PATH} says.`
  }
  if (bare.endsWith('/mcp')) {
    return settings.mcpUrl === undefined
      ? `Streamable HTTP has a URL of its own; MCP over HTTP+SSE is GET ${SSE_PATH}.`
      : `Streamable HTTP is POST ${settings.mcpUrl}; MCP over HTTP+SSE is GET ${SSE_PATH}.`
  }
  if (bare.endsWith('/execute'))
    return `Calls without MCP go to POST ${settings.executeUrl ?? EXECUTE_PATH}.`
  return `MCP agents connect to GET ${SSE_PATH}; calls without MCP go to POST ${settings.executeUrl ?? EXECUTE_PATH}.`
}
