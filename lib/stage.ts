/**
 * The fields of a stage: every difference between two deployments, typed. The stages are in stages.ts,
 * their rules in stage-rules.ts.
 */
import type { Reservations } from './reservations.ts'

export const STAGE_NAMES = ['dev', 'prod', 'emulated'] as const
export type StageName = (typeof STAGE_NAMES)[number]

export const REPLY_TAILS = ['dynamodb-streams', 'partition'] as const

export const CAPACITIES = ['on-demand', 'provisioned'] as const
/** How the Gateway table is paid: by the request, or by the hour for a capacity that follows the load (ADR 0078). */
export type Capacity = (typeof CAPACITIES)[number]

export const STORE_CLIENTS = ['light', 'sdk'] as const

export type TierLimit = {
  readonly tier: string
  /** Limit of one key. */
  readonly callsPerMinute: number
  /** Limit of one user; default `holdsMax`. */
  readonly callsInFlight?: number
}

export type UnitsPerSec = { readonly write: number; readonly read: number }

export type Stage = {
  readonly name: StageName
  /** Prefix of skill ids and tool names, without the underscore. */
  readonly prefix: string
  /**
   * How a stream finds replies; `-c replyTail=…` overrides it. `dynamodb-streams` serves two open streams
   * at once, and those beyond them read the partition.
   */
  readonly replyTail: (typeof REPLY_TAILS)[number]
  /** Added to the built-in limits of `free` and `pro`. */
  readonly tierLimits: readonly TierLimit[]
  /** Concurrent calls of one user, unless `tierLimits` says otherwise. */
  readonly holdsMax: number
  /**
   * The part of the account's concurrency that sse can count on; 70 % of it may be open streams,
   * those of sse and listen streams of mcp together. mcp counts on the same number unless it
   * reserves its own.
   */
  readonly sseConcurrency: number
  readonly streamsPerKeyMax: number
  /** Sessions without a key: 10 % of `sseConcurrency`, or none. */
  readonly anonymousStreams: boolean
  /** Allowed browser origins in addition to the gateway's own; `*` for any. */
  readonly allowedOrigins: readonly string[]
  /** HOST[:PORT] for which skills may use http and private addresses. */
  readonly outboundAllow: readonly string[]
  /**
   * Concurrency reserved for a function, which it then never exceeds. Optional: a fresh account has
   * 10 in all and refuses any reservation. `npm run preflight` says what fits.
   */
  readonly reservedConcurrency: Reservations | undefined
  /**
   * Lambda's quota of concurrent executions in the account and region, as `npm run preflight` shows it. An
   * alarm on a function without a reservation counts against what no function of the stage has reserved.
   */
  readonly accountConcurrency: number
  /**
   * Memory in MB of each function that makes calls or waits for one: messages, mcp and execute. The smallest value is
   * enough for every answer that a skill may allow; more gives each call more CPU, and costs as much more while it waits.
   */
  readonly callMemoryMb: number
  /**
   * The most that each table takes in a second, in write and in read units; DynamoDB refuses more, and agents get
   * 503 with a time to retry. Optional: without it only the account's quota bounds the bill.
   */
  readonly tableUnitsPerSec: UnitsPerSec | undefined
  /**
   * `provisioned` is for a load that is there all day: it costs less than half by the unit, costs without calls, too, and
   * takes minutes to grow. The Sessions table is on demand either way. `-c capacity=…` overrides it.
   */
  readonly capacity: Capacity
  /** The least capacity of a provisioned Gateway table, with which it also starts when `capacity` is changed. */
  readonly provisionedUnitsMin: UnitsPerSec
  /**
   * The client of DynamoDB in sse, messages, mcp, execute and sweep: `light` is ours and takes a quarter of the CPU; `sdk` is
   * the AWS SDK's, which admin and usage always have (ADR 0103).
   */
  readonly storeClient: (typeof STORE_CLIENTS)[number]
  /**
   * Whether URLs point at published versions, which an upgrade replaces as a whole.
   * LocalStack 4.14 cannot move an alias to another version, so there they point at the newest
   * code.
   */
  readonly publishedVersions: boolean
  /** Tables, key and secrets outlive the data stack, and cost on; without it `destroy` deletes them. */
  readonly retainData: boolean
  /** Optional: tables that must survive refuse to be deleted, even by hand. */
  readonly deletionProtection: boolean
  /** The data stack refuses to be deleted until this is switched off. */
  readonly terminationProtection: boolean
  readonly logRetentionDays: number
  /** Logs outlive the stack until their retention ends. */
  readonly keepLogs: boolean
  /** Limit of all DELETEs (revocations) together, and of all other admin requests; API Gateway answers 429 beyond. */
  readonly adminRequestsPerSec: number
  readonly adminRequestsBurst: number
  /**
   * Addresses (IPv4 or IPv6 CIDR blocks) that may reach the admin API; empty for all. API Gateway refuses the
   * others itself, so their requests start no function.
   */
  readonly adminAllowedCidrs: readonly string[]
  /**
   * API Gateway logs with one role for the whole account and region. `keep` leaves the existing one
   * (`npm run preflight` says whether there is one).
   */
  readonly apiLogRole: 'create' | 'keep'
  /** Receives a mail to confirm, and then one for each alarm. */
  readonly alarmEmail: string | undefined
  /**
   * AWS Budgets mails `alarmEmail` at 80 % and 100 % of it, and when the forecast passes it. It counts the
   * whole account: a budget of one stage needs cost allocation tags, which are switched on by hand.
   */
  readonly monthlyBudgetUsd: number | undefined
  /**
   * `/mcp` announces `tools.listChanged` to clients of 2026-07-28. Some of them then keep a listen stream
   * open from the start, and each stream takes one of the places of `sseConcurrency`. Without it clients
   * read the list again when its `ttlMs` (60 s) has passed.
   */
  readonly announceToolChanges: boolean
  /**
   * Days for which the table keeps how calls ended; older ones are in the archive only. A change holds for
   * calls from then on.
   */
  readonly ledgerHotDays: number
  /** Whether masked excerpts of upstreams' answers to failed calls are kept for a week. */
  readonly callExcerpts: boolean
  /**
   * Where events of low balances and reached budgets go: an https URL, or `bus:NAME` for an EventBridge bus of
   * this account and region. Undefined: nowhere, and none are recorded.
   */
  readonly eventTarget: string | undefined
  /** Credits at or below which a balance is low, for users without a threshold of their own. */
  readonly lowBalance: number
}
