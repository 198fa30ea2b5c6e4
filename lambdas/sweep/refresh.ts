/**
 * Refreshes upstreams with the ports that this takes: the store of skills and the tool list, the
 * checks of definitions, and the function that lists. Only handler.ts loads this file, with the
 * first upstream that is due.
 */
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoMcpUpstreams } from '../../adapters/dynamodb/registry/mcp-upstreams.ts'
import { dynamoSkillVersions } from '../../adapters/dynamodb/registry/skill-versions.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { makeHookOptionChecks } from '../../adapters/hooks/all-hooks.ts'
import { functionUrlListings } from '../../adapters/internal-http/listings-peer.ts'
import type { SignedSendOptions } from '../../adapters/internal-http/signed-send.ts'
import { refreshUpstreams } from '../../core/flow/upstreams/refresh-due.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import type { UpstreamRefresh } from './door.ts'

type Needs = {
  readonly clock: Clock
  readonly log: Log
  readonly settings: Config['settings']
  readonly store: DynamoStore
  readonly listings: SignedSendOptions
}

export function makeRefresh({
  clock,
  listings,
  log,
  settings,
  store,
}: Needs): UpstreamRefresh['refresh'] {
  const ports = {
    clock,
    digests: nodeDigests(),
    hooks: makeHookOptionChecks({ clock, outboundAllow: settings.outboundAllow }),
    ids: nodeIds(),
    log,
    mcpListings: functionUrlListings(listings),
    mcpUpstreams: dynamoMcpUpstreams(store),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    skills: dynamoSkills(store),
    skillVersions: dynamoSkillVersions(store),
    toolListVersion: dynamoToolListVersion(store),
    toolsCache: dynamoToolsCache(store),
  }
  return (due, untilMs) => refreshUpstreams(ports, settings, due, untilMs)
}
