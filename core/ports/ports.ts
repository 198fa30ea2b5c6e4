/**
 * Every outside dependency as a small type; a flow states its needs as a `Pick` of these. Store
 * ports throw `Fault('store_unavailable')` if the store does not answer or throttles longer than
 * the adapter retries; every other outcome is a value. No AWS word here. One contract suite in
 * test/contracts checks the implementations.
 */
import type { Alarms } from './alarms.ts'
import type { Guides } from './guides.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { TokenVerifier } from './issuers.ts'
import type { Jobs, JobVisits } from './jobs.ts'
import type { KeptResults } from './kept-results.ts'
import type { CallLookup, Events, IdempotencyRecords, Ledger, SweepEntries } from './ledger.ts'
import type { Logins } from './logins.ts'
import type { McpServers } from './mcp-servers.ts'
import type { McpListings, McpReadings, McpUpstreams } from './mcp-upstreams.ts'
import type { OAuthClient } from './oauth-client.ts'
import type { OAuthRegistrations } from './oauth-registrations.ts'
import type {
  AdminSecrets,
  Clock,
  Digests,
  Ids,
  Log,
  Seals,
  Upstream,
  UpstreamPreviews,
} from './outside.ts'
import type {
  Changes,
  Hooks,
  OpenApiDocuments,
  Schemas,
  SkillMarkdown,
  Skills,
  SkillVersions,
  ToolListVersion,
  ToolsCache,
} from './registry.ts'
import type { SecretSeals, SecretStore, SharedSecrets } from './secrets.ts'
import type {
  ClientResponses,
  DryRuns,
  ExecuteDoor,
  MessagesDoor,
  ReplyStream,
  Sessions,
  StreamLeases,
} from './sessions.ts'
import type { TaggedFunctions } from './tagged-functions.ts'
import type { Tasks } from './tasks.ts'
import type { UpstreamSessions } from './upstream-sessions.ts'
import type { CallExcerpts, UsagePages, UsageSums } from './usage.ts'
import type {
  AdminKeys,
  AuditTrail,
  IdentityInvites,
  Keys,
  Profiles,
  RateCounters,
  UserDirectory,
  Usernames,
  V0Records,
} from './users.ts'

export type Ports = {
  readonly adminKeys: AdminKeys
  readonly adminSecrets: AdminSecrets
  readonly alarms: Alarms
  readonly auditTrail: AuditTrail
  readonly clock: Clock
  readonly ids: Ids
  readonly digests: Digests
  readonly seals: Seals
  readonly issuerKeys: IssuerKeys
  readonly tokenVerifier: TokenVerifier
  readonly identityInvites: IdentityInvites
  readonly keys: Keys
  readonly logins: Logins
  readonly rateCounters: RateCounters
  readonly skills: Skills
  readonly skillVersions: SkillVersions
  readonly guides: Guides
  readonly callLookup: CallLookup
  readonly toolsCache: ToolsCache
  readonly toolListVersion: ToolListVersion
  readonly changes: Changes
  readonly profiles: Profiles
  readonly usernames: Usernames
  readonly userDirectory: UserDirectory
  readonly ledger: Ledger
  readonly callExcerpts: CallExcerpts
  readonly events: Events
  readonly usagePages: UsagePages
  readonly usageSums: UsageSums
  readonly v0: V0Records
  readonly sweepEntries: SweepEntries
  readonly idempotencyRecords: IdempotencyRecords
  readonly sessions: Sessions
  readonly replies: ReplyStream
  readonly leases: StreamLeases
  readonly clientResponses: ClientResponses
  readonly tasks: Tasks
  readonly jobs: Jobs
  readonly jobVisits: JobVisits
  readonly keptResults: KeptResults
  readonly messages: MessagesDoor
  readonly execute: ExecuteDoor
  readonly upstream: Upstream
  readonly upstreamSessions: UpstreamSessions
  readonly oauthRegistrations: OAuthRegistrations
  readonly mcpServers: McpServers
  readonly upstreamPreviews: UpstreamPreviews
  readonly dryRuns: DryRuns
  readonly taggedFunctions: TaggedFunctions
  readonly mcpListings: McpListings
  readonly mcpReadings: McpReadings
  readonly mcpUpstreams: McpUpstreams
  readonly hooks: Hooks
  readonly oauthClient: OAuthClient
  readonly secretSeals: SecretSeals
  readonly secrets: SecretStore
  readonly sharedSecrets: SharedSecrets
  readonly schemas: Schemas
  readonly skillMarkdown: SkillMarkdown
  readonly openApiDocuments: OpenApiDocuments
  readonly log: Log
}

/** The ports that one store implements. */
export type StorePorts = Pick<
  Ports,
  | 'events'
  | 'callExcerpts'
  | 'adminKeys'
  | 'auditTrail'
  | 'idempotencyRecords'
  | 'jobs'
  | 'changes'
  | 'guides'
  | 'toolListVersion'
  | 'callLookup'
  | 'clientResponses'
  | 'issuerKeys'
  | 'identityInvites'
  | 'keys'
  | 'leases'
  | 'ledger'
  | 'logins'
  | 'mcpUpstreams'
  | 'oauthRegistrations'
  | 'v0'
  | 'rateCounters'
  | 'profiles'
  | 'replies'
  | 'secrets'
  | 'sessions'
  | 'sharedSecrets'
  | 'skills'
  | 'skillVersions'
  | 'sweepEntries'
  | 'tasks'
  | 'toolsCache'
  | 'upstreamSessions'
  | 'usagePages'
  | 'usageSums'
  | 'usernames'
  | 'userDirectory'
>
