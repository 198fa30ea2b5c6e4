/**
 * The permissions of every method of every store port, gathered from the files that declare them.
 * The CDK app may import this file and table.ts from this folder; no function imports this file.
 */
import type { StorePorts } from '../../core/ports/ports.ts'
import { AUDIT_TRAIL_PERMISSIONS } from './audit/audit-trail.ts'
import { CALL_EXCERPT_PERMISSIONS } from './ledger/call-excerpts.ts'
import { EVENTS_PERMISSIONS } from './ledger/events.ts'
import { IDEMPOTENCY_RECORD_PERMISSIONS } from './ledger/idempotency-records.ts'
import { LEDGER_PERMISSIONS } from './ledger/ledger.ts'
import { SWEEP_ENTRIES_PERMISSIONS } from './ledger/sweep-entries.ts'
import { V0_PERMISSIONS } from './migration/v0.ts'
import { CHANGES_PERMISSIONS } from './no-changes.ts'
import type { Permissions } from './permission.ts'
import { CALL_LOOKUP_PERMISSIONS } from './registry/call-lookup.ts'
import { GUIDES_PERMISSIONS } from './registry/guides.ts'
import { MCP_UPSTREAMS_PERMISSIONS } from './registry/mcp-upstreams.ts'
import { SKILL_VERSIONS_PERMISSIONS } from './registry/skill-versions.ts'
import { SKILLS_PERMISSIONS } from './registry/skills.ts'
import { TOOL_LIST_VERSION_PERMISSIONS } from './registry/tool-list-version.ts'
import { TOOLS_CACHE_PERMISSIONS } from './registry/tools-cache.ts'
import { STREAM_TAIL_PERMISSIONS } from './reply-stream/open-reply-tail.ts'
import { CLIENT_RESPONSE_PERMISSIONS } from './sessions/client-responses.ts'
import { JOBS_PERMISSIONS } from './sessions/jobs.ts'
import { LEASES_PERMISSIONS } from './sessions/leases.ts'
import { OAUTH_REGISTRATIONS_PERMISSIONS } from './sessions/oauth-registrations.ts'
import { REPLIES_PERMISSIONS } from './sessions/replies.ts'
import { SESSIONS_PERMISSIONS } from './sessions/sessions.ts'
import { TASKS_PERMISSIONS } from './sessions/tasks.ts'
import { UPSTREAM_SESSIONS_PERMISSIONS } from './sessions/upstream-sessions.ts'
import { USAGE_PAGE_PERMISSIONS } from './usage/usage-pages.ts'
import { USAGE_SUM_PERMISSIONS } from './usage/usage-sums.ts'
import { ADMIN_KEYS_PERMISSIONS } from './users/admin-keys.ts'
import { IDENTITY_INVITES_PERMISSIONS } from './users/identity-invites.ts'
import { ISSUER_KEYS_PERMISSIONS } from './users/issuer-keys.ts'
import { KEYS_PERMISSIONS } from './users/keys.ts'
import { LOGINS_PERMISSIONS } from './users/logins.ts'
import { PROFILES_PERMISSIONS } from './users/profiles.ts'
import { RATE_COUNTER_PERMISSIONS } from './users/rate-counters.ts'
import { SECRETS_PERMISSIONS } from './users/secrets.ts'
import { SHARED_SECRETS_PERMISSIONS } from './users/shared-secrets.ts'
import { USER_DIRECTORY_PERMISSIONS } from './users/user-directory.ts'
import { USERNAMES_PERMISSIONS } from './users/usernames.ts'

export type { Permission, PermittedAction } from './permission.ts'

export type StorePermissions = {
  readonly [port in keyof StorePorts]: Permissions<StorePorts[port]>
}

/** Actions on the stream of the Sessions table. A policy cannot limit them to keys. */
export const STREAM_ACTIONS: readonly string[] = STREAM_TAIL_PERMISSIONS.actions

export const STORE_PERMISSIONS: StorePermissions = {
  adminKeys: ADMIN_KEYS_PERMISSIONS,
  auditTrail: AUDIT_TRAIL_PERMISSIONS,
  changes: CHANGES_PERMISSIONS,
  events: EVENTS_PERMISSIONS,
  guides: GUIDES_PERMISSIONS,
  idempotencyRecords: IDEMPOTENCY_RECORD_PERMISSIONS,
  toolListVersion: TOOL_LIST_VERSION_PERMISSIONS,
  callExcerpts: CALL_EXCERPT_PERMISSIONS,
  callLookup: CALL_LOOKUP_PERMISSIONS,
  clientResponses: CLIENT_RESPONSE_PERMISSIONS,
  jobs: JOBS_PERMISSIONS,
  issuerKeys: ISSUER_KEYS_PERMISSIONS,
  identityInvites: IDENTITY_INVITES_PERMISSIONS,
  keys: KEYS_PERMISSIONS,
  leases: LEASES_PERMISSIONS,
  ledger: LEDGER_PERMISSIONS,
  logins: LOGINS_PERMISSIONS,
  mcpUpstreams: MCP_UPSTREAMS_PERMISSIONS,
  oauthRegistrations: OAUTH_REGISTRATIONS_PERMISSIONS,
  v0: V0_PERMISSIONS,
  rateCounters: RATE_COUNTER_PERMISSIONS,
  profiles: PROFILES_PERMISSIONS,
  replies: REPLIES_PERMISSIONS,
  secrets: SECRETS_PERMISSIONS,
  sessions: SESSIONS_PERMISSIONS,
  sharedSecrets: SHARED_SECRETS_PERMISSIONS,
  skills: SKILLS_PERMISSIONS,
  skillVersions: SKILL_VERSIONS_PERMISSIONS,
  sweepEntries: SWEEP_ENTRIES_PERMISSIONS,
  tasks: TASKS_PERMISSIONS,
  upstreamSessions: UPSTREAM_SESSIONS_PERMISSIONS,
  toolsCache: TOOLS_CACHE_PERMISSIONS,
  usagePages: USAGE_PAGE_PERMISSIONS,
  usageSums: USAGE_SUM_PERMISSIONS,
  usernames: USERNAMES_PERMISSIONS,
  userDirectory: USER_DIRECTORY_PERMISSIONS,
}
