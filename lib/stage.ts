/** A stage's fields, typed: everything that differs between two deployments. The stages are in stages.ts, their rules in stage-rules.ts. */
import type { Door } from './doors.ts'

export const STAGE_NAMES = ['dev', 'prod', 'emulated'] as const

export type StageName = (typeof STAGE_NAMES)[number]

export type TierLimit = {
  readonly tier: string
  /** Of one key. */
  readonly callsPerMinute: number
  /** Of one user; `holdsMax` unless told. */
  readonly callsInFlight?: number
}

export type Stage = {
  readonly name: StageName
  /** Of skill ids and tool names, without the underscore. */
  readonly prefix: string
  /** How the stream finds replies; `dynamodb-streams` serves two streams at once in all. */
  readonly replyTail: 'partition' | 'dynamodb-streams'
  /** On top of what `free` and `pro` have without it. */
  readonly tierLimits: readonly TierLimit[]
  /** Calls of one user in flight, where `tierLimits` says no other. */
  readonly holdsMax: number
  /**
   * What of the account's concurrency the sse function may count on; 70 % of it may be open streams, those
   * of sse and the listen streams of mcp together. Mcp counts on as much, unless it has its own.
   */
  readonly sseConcurrency: number
  readonly streamsPerKeyMax: number
  /** Sessions without a key: 10 % of `sseConcurrency`, or none. */
  readonly anonymousStreams: boolean
  /** Browser origins beside the doors' own; `*` for any. */
  readonly allowedOrigins: readonly string[]
  /** HOST[:PORT] for which skills may use http and private addresses. */
  readonly outboundAllow: readonly string[]
  /**
   * Concurrency that a door has for itself and never exceeds. Opt-in: a fresh account has 10 in all and
   * refuses any reservation. `npm run preflight` says what fits.
   */
  readonly reservedConcurrency: { readonly [D in Door]?: number } | undefined
  /**
   * Execute's URLs point at a published version, which an upgrade replaces whole. LocalStack 4.14 cannot
   * move an alias to another one; there they point at the newest code.
   */
  readonly publishedVersions: boolean
  /** Opt-in: tables that must survive refuse to be deleted, by whoever. */
  readonly deletionProtection: boolean
  /** The data stack refuses to be deleted until somebody switches this off. */
  readonly terminationProtection: boolean
  readonly logRetentionDays: number
  /** Logs outlive the stack until their retention ends. */
  readonly keepLogs: boolean
  /** Of all administrators together; API Gateway answers 429 beyond. */
  readonly adminRequestsPerSec: number
  readonly adminRequestsBurst: number
  /**
   * API Gateway logs by one role for the whole account and region. `keep` leaves the one that is there
   * (`npm run preflight` says whether one is).
   */
  readonly apiLogRole: 'create' | 'keep'
  /** Gets a mail to confirm, and then one for each alarm. */
  readonly alarmEmail: string | undefined
}
