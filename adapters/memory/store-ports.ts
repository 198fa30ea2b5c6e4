/** All store ports over one set of database. */
import type { Clock, StorePorts } from '../../core/ports.ts'
import { memoryAdminKeys } from './admin-keys.ts'
import { memoryAuditTrail } from './audit-trail.ts'
import { memoryCallExcerpts } from './call-excerpts.ts'
import { memoryCallLookup } from './call-lookup.ts'
import { memoryClientResponses } from './client-responses.ts'
import type { Database } from './database.ts'
import { memoryEvents } from './events.ts'
import { memoryIdempotencyRecords } from './idempotency-records.ts'
import { memoryKeys } from './keys.ts'
import { memoryLeases } from './leases.ts'
import { memoryLedger } from './ledger.ts'
import { memoryProfiles } from './profiles.ts'
import { memoryRateCounters } from './rate-counters.ts'
import { memoryReplies } from './replies.ts'
import { memorySecrets } from './secrets.ts'
import { memorySessions } from './sessions.ts'
import { memorySharedSecrets } from './shared-secrets.ts'
import { memorySkillVersions } from './skill-versions.ts'
import { memorySkills } from './skills.ts'
import { memorySweepEntries } from './sweep-entries.ts'
import { memoryToolListVersion } from './tool-list-version.ts'
import { memoryToolsCache } from './tools-cache.ts'
import { memoryUsagePages, memoryUsageSums } from './usage.ts'
import { memoryUserDirectory } from './user-directory.ts'
import { memoryUsernames } from './usernames.ts'
import { memoryV0 } from './v0.ts'

export function memoryStorePorts(database: Database, clock: Clock): StorePorts {
  return {
    adminKeys: memoryAdminKeys(database),
    auditTrail: memoryAuditTrail(database, clock),
    changes: { listen: database.bells.hear },
    keys: memoryKeys(database, clock),
    rateCounters: memoryRateCounters(database, clock),
    skills: memorySkills(database),
    callExcerpts: memoryCallExcerpts(database, clock),
    skillVersions: memorySkillVersions(database),
    callLookup: memoryCallLookup(database),
    toolsCache: memoryToolsCache(database, clock),
    toolListVersion: memoryToolListVersion(database),
    profiles: memoryProfiles(database),
    events: memoryEvents(database, clock),
    ledger: memoryLedger(database),
    v0: memoryV0(database),
    sweepEntries: memorySweepEntries(database, clock),
    idempotencyRecords: memoryIdempotencyRecords(database, clock),
    sessions: memorySessions(database, clock),
    replies: memoryReplies(database, clock),
    leases: memoryLeases(database, clock),
    clientResponses: memoryClientResponses(database, clock),
    secrets: memorySecrets(database),
    usagePages: memoryUsagePages(database),
    usageSums: memoryUsageSums(database),
    sharedSecrets: memorySharedSecrets(database),
    usernames: memoryUsernames(database),
    userDirectory: memoryUserDirectory(database),
  }
}
