/** All store ports over one database. */
import type { Clock, StorePorts } from '../../core/ports.ts'
import { sqliteAdminKeys } from './accounts/admin-keys.ts'
import { sqliteKeys } from './accounts/keys.ts'
import { profileRows } from './accounts/profile-rows.ts'
import { sqliteProfiles } from './accounts/profiles.ts'
import { sqliteRateCounters } from './accounts/rate-counters.ts'
import { sqliteSecrets } from './accounts/secrets.ts'
import { sqliteSharedSecrets } from './accounts/shared-secrets.ts'
import { sqliteUserDirectory } from './accounts/user-directory.ts'
import { sqliteUsernames } from './accounts/usernames.ts'
import { listChanges, sqliteChanges } from './database/changes.ts'
import type { Database } from './database/database.ts'
import { sqliteAuditTrail } from './evidence/audit-trail.ts'
import { sqliteCallExcerpts } from './ledger/call-excerpts.ts'
import { sqliteEvents } from './ledger/events.ts'
import { sqliteIdempotencyRecords } from './ledger/idempotency-records.ts'
import { sqliteLedger } from './ledger/ledger.ts'
import { sqliteSweepEntries } from './ledger/sweep-entries.ts'
import { sqliteV0 } from './migration/v0.ts'
import { sqliteCallLookup } from './registry/call-lookup.ts'
import { knownCandidates } from './registry/known-candidates.ts'
import { sqliteSkillVersions } from './registry/skill-versions.ts'
import { sqliteSkills } from './registry/skills.ts'
import { sqliteToolListVersion } from './registry/tool-list-version.ts'
import { sqliteToolsCache } from './registry/tools-cache.ts'
import { watchedBells } from './reply-stream/bells.ts'
import { sqliteReplies } from './reply-stream/replies.ts'
import { sqliteClientResponses } from './sessions/client-responses.ts'
import { sqliteLeases } from './sessions/leases.ts'
import { sqliteSessions } from './sessions/sessions.ts'
import { sqliteUsagePages } from './usage/usage-pages.ts'
import { sqliteUsageSums } from './usage/usage-sums.ts'

export function sqliteStorePorts(
  database: Database,
  clock: Clock,
  /** Told of trouble that a stream waits out. */
  onTrouble: (cause: unknown) => void,
  /** For how long pages of calls are kept; the default of the adapter otherwise. */
  hotMs?: number,
): StorePorts {
  const accounts = profileRows(database)
  const candidates = knownCandidates()
  const bells = watchedBells(database.isShared ? database.hasChanged : undefined, onTrouble)
  const lists = listChanges(database, bells)
  return {
    adminKeys: sqliteAdminKeys(database),
    auditTrail: sqliteAuditTrail(database, clock),
    changes: sqliteChanges(database, bells, onTrouble),
    idempotencyRecords: sqliteIdempotencyRecords(database, clock),
    toolListVersion: sqliteToolListVersion(database, lists),
    events: sqliteEvents(database, accounts, clock),
    callExcerpts: sqliteCallExcerpts(database, clock),
    callLookup: sqliteCallLookup(database, accounts, candidates),
    clientResponses: sqliteClientResponses(database, clock),
    keys: sqliteKeys(database, clock),
    leases: sqliteLeases(database, clock),
    ledger: sqliteLedger(database, accounts, bells),
    v0: sqliteV0(database, accounts),
    rateCounters: sqliteRateCounters(database, clock),
    profiles: sqliteProfiles(database, accounts, lists),
    replies: sqliteReplies(database, clock, bells, onTrouble),
    secrets: sqliteSecrets(database),
    sharedSecrets: sqliteSharedSecrets(database),
    sessions: sqliteSessions(database, clock, bells),
    skills: sqliteSkills(database, candidates.forgetAll),
    skillVersions: sqliteSkillVersions(database),
    sweepEntries: sqliteSweepEntries(database, clock),
    toolsCache: sqliteToolsCache(database, clock),
    usagePages: sqliteUsagePages(database, clock, hotMs),
    usageSums: sqliteUsageSums(database),
    usernames: sqliteUsernames(database),
    userDirectory: sqliteUserDirectory(database),
  }
}
