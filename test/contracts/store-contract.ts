/** All contract suites of the store ports over one store, opened once. The caller closes it. */

import { describeAdminKeys } from './admin-keys-contract.ts'
import { describeAuditTrail } from './audit-trail-contract.ts'
import { describeCallExcerpts } from './call-excerpts-contract.ts'
import { describeCallRecords } from './call-lookup-contract.ts'
import { describeInputAnswers } from './client-responses-contract.ts'
import { describeEvents } from './events-contract.ts'
import { describeGuides } from './guides-contract.ts'
import { describeAnswers } from './idempotency-records-contract.ts'
import { describeIdentities } from './identities-contract.ts'
import { describeIssuerKeys } from './issuer-keys-contract.ts'
import { describeJobs } from './jobs-contract.ts'
import { describeKeys } from './keys-contract.ts'
import { describeLedger } from './ledger-contract.ts'
import { describeLogins } from './logins-contract.ts'
import { describeMcpUpstreams } from './mcp-upstreams-contract.ts'
import { describeOAuthRegistrations } from './oauth-registrations-contract.ts'
import { describeProfiles } from './profiles-contract.ts'
import { describeMinuteCounter } from './rate-counters-contract.ts'
import { describeReplyStream } from './reply-stream-contract.ts'
import { describeSecrets } from './secrets-contract.ts'
import { describeSessions } from './sessions-contract.ts'
import { describeSharedSecrets } from './shared-secrets-contract.ts'
import { describeSkillRemoval } from './skill-removal-contract.ts'
import { describeSkillVersions } from './skill-versions-contract.ts'
import { describeSkills } from './skills-contract.ts'
import type { MakePorts, SharedPorts } from './store-ports.ts'
import { describeStreamLeases } from './stream-leases-contract.ts'
import { describeSubKeys } from './sub-keys-contract.ts'
import { describeSweepEntries } from './sweep-entries-contract.ts'
import { describeTasks } from './tasks-contract.ts'
import { describeToolListVersion } from './tool-list-version-contract.ts'
import { describeToolsCache } from './tools-cache-contract.ts'
import { describeToolsDraft } from './tools-draft-contract.ts'
import { describeUpstreamSessions } from './upstream-sessions-contract.ts'
import { describeUsage } from './usage-contract.ts'
import { describeUserDirectory } from './user-directory-contract.ts'
import { describeUsernames } from './usernames-contract.ts'
import { describeV0Keys } from './v0-keys-contract.ts'
import { describeV0Users } from './v0-users-contract.ts'

export function describeStorePorts(name: string, makePorts: MakePorts<SharedPorts>): void {
  let made: Promise<SharedPorts> | undefined
  const once: MakePorts<SharedPorts> = () => {
    made ??= makePorts()
    return made
  }
  // First, because it scans the whole store, which the others fill.
  describeV0Keys(name, once)
  describeAdminKeys(name, once)
  describeAuditTrail(name, once)
  describeKeys(name, once)
  describeSubKeys(name, once)
  describeIdentities(name, once)
  describeLogins(name, once)
  describeIssuerKeys(name, once)
  describeUpstreamSessions(name, once)
  describeOAuthRegistrations(name, once)
  describeMinuteCounter(name, once)
  describeSkills(name, once)
  describeSkillVersions(name, once)
  describeGuides(name, once)
  describeSkillRemoval(name, once)
  describeCallRecords(name, once)
  describeToolsCache(name, once)
  describeToolsDraft(name, once)
  describeToolListVersion(name, once)
  describeProfiles(name, once)
  describeUsernames(name, once)
  describeUsage(name, once)
  describeUserDirectory(name, once)
  describeLedger(name, once)
  describeCallExcerpts(name, once)
  describeEvents(name, once)
  describeV0Users(name, once)
  describeSweepEntries(name, once)
  describeSecrets(name, once)
  describeSharedSecrets(name, once)
  describeAnswers(name, once)
  describeSessions(name, once)
  describeReplyStream(name, once)
  describeStreamLeases(name, once)
  describeInputAnswers(name, once)
  describeTasks(name, once)
  describeJobs(name, once)
  describeMcpUpstreams(name, once)
}
