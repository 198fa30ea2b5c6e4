/**
 * Ports on AWS that few calls use, among them the ports of built-in tools over POST /v1/execute.
 * This file is a chunk of its own in the bundle, which a start of the function does not open.
 */
import type { Config } from '../../adapters/config/config.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoCallExcerpts } from '../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoIdempotencyRecords } from '../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import type { ListVersionCache } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoMcpUpstreams } from '../../adapters/dynamodb/registry/mcp-upstreams.ts'
import { dynamoSkillVersions } from '../../adapters/dynamodb/registry/skill-versions.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoJobs } from '../../adapters/dynamodb/sessions/jobs.ts'
import { dynamoOAuthRegistrations } from '../../adapters/dynamodb/sessions/oauth-registrations.ts'
import { dynamoTasks } from '../../adapters/dynamodb/sessions/tasks.ts'
import { dynamoUpstreamSessions } from '../../adapters/dynamodb/sessions/upstream-sessions.ts'
import { dynamoIssuerKeys } from '../../adapters/dynamodb/users/issuer-keys.ts'
import { dynamoLogins } from '../../adapters/dynamodb/users/logins.ts'
import { makeUpstreamPreviews } from '../../adapters/upstream/upstream-previews.ts'

type Needs = {
  readonly rules: Pick<Config['settings'], 'outboundAllow' | 'privateHosts' | 'signedAccess'>
  readonly store: DynamoStore
  readonly versions: ListVersionCache
}

export function createRareCallPorts({ rules, store, versions }: Needs) {
  return {
    callExcerpts: dynamoCallExcerpts(store),
    events: dynamoEvents(store),
    idempotencyRecords: dynamoIdempotencyRecords(store),
    issuerKeys: dynamoIssuerKeys(store),
    jobs: dynamoJobs(store),
    logins: dynamoLogins(store),
    mcpUpstreams: dynamoMcpUpstreams(store),
    oauthRegistrations: dynamoOAuthRegistrations(store),
    skills: dynamoSkills(store),
    skillVersions: dynamoSkillVersions(store),
    sweepEntries: dynamoSweepEntries(store),
    tasks: dynamoTasks(store),
    toolListVersion: dynamoToolListVersion(store, versions),
    toolsCache: dynamoToolsCache(store),
    upstreamSessions: dynamoUpstreamSessions(store),
    upstreamPreviews: makeUpstreamPreviews(rules),
    v0: dynamoV0(store),
  }
}
