/** All store ports, for a process that hosts every door. A deployed door opens only its own. */
import type { StorePorts } from '../../core/ports/ports.ts'
import type { ReplyStream } from '../../core/ports/sessions.ts'
import { dynamoAuditTrail } from './audit/audit-trail.ts'
import type { DynamoStore } from './client/document-store.ts'
import { dynamoCallExcerpts } from './ledger/call-excerpts.ts'
import { dynamoEvents } from './ledger/events.ts'
import { dynamoIdempotencyRecords } from './ledger/idempotency-records.ts'
import { dynamoLedger } from './ledger/ledger.ts'
import { dynamoSweepEntries } from './ledger/sweep-entries.ts'
import { dynamoV0 } from './migration/v0.ts'
import { NO_CHANGES } from './no-changes.ts'
import { dynamoCallLookup } from './registry/call-lookup.ts'
import { dynamoGuides } from './registry/guides.ts'
import { listVersionCache } from './registry/list-version-cache.ts'
import { dynamoMcpUpstreams } from './registry/mcp-upstreams.ts'
import { dynamoSkillVersions } from './registry/skill-versions.ts'
import { dynamoSkills } from './registry/skills.ts'
import { dynamoToolListVersion } from './registry/tool-list-version.ts'
import { dynamoToolsCache } from './registry/tools-cache.ts'
import { dynamoClientResponses } from './sessions/client-responses.ts'
import { dynamoJobs } from './sessions/jobs.ts'
import { dynamoLeases } from './sessions/leases.ts'
import { dynamoOAuthRegistrations } from './sessions/oauth-registrations.ts'
import { dynamoReplies } from './sessions/replies.ts'
import { dynamoSessions } from './sessions/sessions.ts'
import { dynamoTasks } from './sessions/tasks.ts'
import { dynamoUpstreamSessions } from './sessions/upstream-sessions.ts'
import { dynamoUsagePages } from './usage/usage-pages.ts'
import { dynamoUsageSums } from './usage/usage-sums.ts'
import { dynamoAdminKeys } from './users/admin-keys.ts'
import { dynamoIdentityInvites } from './users/identity-invites.ts'
import { dynamoIssuerKeys } from './users/issuer-keys.ts'
import { dynamoKeys } from './users/keys.ts'
import { dynamoLogins } from './users/logins.ts'
import { dynamoProfiles } from './users/profiles.ts'
import { dynamoRateCounters } from './users/rate-counters.ts'
import { dynamoSecrets } from './users/secrets.ts'
import { dynamoSharedSecrets } from './users/shared-secrets.ts'
import { dynamoUserDirectory } from './users/user-directory.ts'
import { dynamoUsernames } from './users/usernames.ts'

/** The adapters of all store ports. */
export function dynamoStorePorts(
  store: DynamoStore,
  options: {
    readonly tail?: ReplyStream['tail']
    /** How long calls are kept; default: `LEDGER_HOT_MS_DEFAULT`. */
    readonly hotMs?: number | undefined
    /** Which copy of the tool list version is read; default: a random one. */
    readonly listVersionCopy?: number | undefined
  } = {},
): StorePorts {
  const versions = listVersionCache(store.clock, options.listVersionCopy)
  const { forget, ...secrets } = dynamoSecrets(store)
  return {
    adminKeys: dynamoAdminKeys(store),
    auditTrail: dynamoAuditTrail(store),
    changes: NO_CHANGES,
    events: dynamoEvents(store),
    guides: dynamoGuides(store),
    idempotencyRecords: dynamoIdempotencyRecords(store),
    upstreamSessions: dynamoUpstreamSessions(store),
    toolListVersion: dynamoToolListVersion(store, versions),
    callExcerpts: dynamoCallExcerpts(store),
    callLookup: dynamoCallLookup(store, versions),
    clientResponses: dynamoClientResponses(store),
    jobs: dynamoJobs(store),
    issuerKeys: dynamoIssuerKeys(store),
    identityInvites: dynamoIdentityInvites(store),
    keys: dynamoKeys(store),
    leases: dynamoLeases(store),
    ledger: dynamoLedger(store, options.hotMs),
    logins: dynamoLogins(store),
    mcpUpstreams: dynamoMcpUpstreams(store),
    oauthRegistrations: dynamoOAuthRegistrations(store),
    v0: dynamoV0(store),
    rateCounters: dynamoRateCounters(store),
    profiles: dynamoProfiles(store),
    replies: dynamoReplies(store, options.tail),
    secrets,
    sessions: dynamoSessions(store),
    sharedSecrets: dynamoSharedSecrets(store, forget),
    skills: dynamoSkills(store),
    skillVersions: dynamoSkillVersions(store),
    sweepEntries: dynamoSweepEntries(store),
    tasks: dynamoTasks(store),
    toolsCache: dynamoToolsCache(store),
    usagePages: dynamoUsagePages(store, options.hotMs),
    usageSums: dynamoUsageSums(store),
    usernames: dynamoUsernames(store),
    userDirectory: dynamoUserDirectory(store),
  }
}
