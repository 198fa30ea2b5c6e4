/**
 * The server card (SEP-2127) and the catalogue that leads to it: what registries and scanners read
 * before anybody connects. Made of settings alone. They agree with `server/discover` and name no
 * tool, capability or secret. The origin comes from the settings, because a request's Host may be
 * the one of a proxy or of an attacker.
 */
import type { JsonObject } from '../json/json.ts'
import type { Settings } from '../settings.ts'
import { SERVED_VERSIONS } from './revisions.ts'
import { makeServerInfo } from './server-info.ts'

export const CARD_PATH = '/mcp/server-card'
export const CARD_TYPE = 'application/mcp-server-card+json'
export const AI_CATALOG_PATH = '/.well-known/ai-catalog.json'
export const AI_CATALOG_TYPE = 'application/ai-catalog+json'
/** Another spelling in the wild, which leads to the card. */
export const OTHER_CARD_PATH = '/.well-known/mcp/server-card.json'

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const TITLE = 'Skillgate'
/** 100 characters at most (SEP-2127). */
export const CARD_DESCRIPTION =
  'HTTP APIs as tools for AI agents, with a price for each call. Failed calls are refunded.'

type CardSettings = Pick<Settings, 'issuers' | 'login' | 'prefix' | 'version'>

/** `origin`: without a slash at the end. */
export function makeServerCard(settings: CardSettings, origin: string): JsonObject {
  const { name, version } = makeServerInfo(settings)
  return {
    $schema: CARD_SCHEMA,
    name: `${reverseHost(origin)}/${name}`,
    version,
    title: TITLE,
    description: CARD_DESCRIPTION,
    remotes: [
      {
        type: 'streamable-http',
        url: `${origin}/mcp`,
        supportedProtocolVersions: SERVED_VERSIONS,
        ...toHeaders(settings),
      },
    ],
  }
}

/** Where people log in, a client gets its token by the challenge and needs no header. */
function toHeaders({ issuers, login }: CardSettings): JsonObject {
  if (login !== undefined || issuers.length > 0) return {}
  const description = 'Bearer and an API key of this gateway, such as Bearer sgk_…'
  return { headers: [{ name: 'Authorization', description, isRequired: true, isSecret: true }] }
}

export function makeAiCatalog(settings: CardSettings, origin: string): JsonObject {
  const { name } = makeServerInfo(settings)
  const entry = {
    identifier: `urn:air:${new URL(origin).hostname}:mcp:${name}`,
    type: CARD_TYPE,
    url: `${origin}${CARD_PATH}`,
    displayName: TITLE,
  }
  return { specVersion: '1.0', entries: [entry] }
}

function reverseHost(origin: string): string {
  return new URL(origin).hostname.split('.').reverse().join('.')
}
