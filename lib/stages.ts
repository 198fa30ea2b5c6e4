/**
 * The stages: every difference between two deployments, typed, in one place. stage-rules.ts judges
 * a stage before a construct sees it. Neither this file nor a construct reads the environment; to
 * change a value, edit this file. Bound by docs/service.md, Deployment and Stream leases.
 */
import type { Door } from './doors.ts'
import { stageFaults } from './stage-rules.ts'

export const STAGE_NAMES = ['dev', 'prod', 'emulated'] as const
export type StageName = (typeof STAGE_NAMES)[number]

export type TierLimit = {
  readonly tier: string
  /** Limit of one key. */
  readonly callsPerMinute: number
  /** Limit of one user; default `holdsMax`. */
  readonly callsInFlight?: number
}

export type Stage = {
  readonly name: StageName
  /** Prefix of skill ids and tool names, without the underscore. */
  readonly prefix: string
  /** How a stream finds replies; `dynamodb-streams` serves at most two streams at once. */
  readonly replyTail: 'partition' | 'dynamodb-streams'
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
  readonly reservedConcurrency: { readonly [D in Door]?: number } | undefined
  /**
   * Whether execute's URLs point at a published version, which an upgrade replaces as a whole.
   * LocalStack 4.14 cannot move an alias to another version, so there they point at the newest
   * code.
   */
  readonly publishedVersions: boolean
  /** Optional: tables that must survive refuse to be deleted, even by hand. */
  readonly deletionProtection: boolean
  /** The data stack refuses to be deleted until this is switched off. */
  readonly terminationProtection: boolean
  readonly logRetentionDays: number
  /** Logs outlive the stack until their retention ends. */
  readonly keepLogs: boolean
  /** Limit of all administrators together; API Gateway answers 429 beyond it. */
  readonly adminRequestsPerSec: number
  readonly adminRequestsBurst: number
  /**
   * API Gateway logs with one role for the whole account and region. `keep` leaves the existing one
   * (`npm run preflight` says whether there is one).
   */
  readonly apiLogRole: 'create' | 'keep'
  /** Receives a mail to confirm, and then one for each alarm. */
  readonly alarmEmail: string | undefined
}

const DEV: Stage = {
  name: 'dev',
  prefix: 'sg',
  replyTail: 'partition',
  tierLimits: [],
  holdsMax: 32,
  // The whole of a fresh account: 7 streams, and 3 left for calls.
  sseConcurrency: 10,
  streamsPerKeyMax: 20,
  anonymousStreams: true,
  allowedOrigins: [],
  outboundAllow: [],
  reservedConcurrency: undefined,
  publishedVersions: true,
  deletionProtection: false,
  terminationProtection: false,
  logRetentionDays: 14,
  keepLogs: false,
  adminRequestsPerSec: 10,
  adminRequestsBurst: 20,
  apiLogRole: 'create',
  alarmEmail: undefined,
}

const STAGES: { readonly [N in StageName]: Stage } = {
  dev: DEV,
  prod: {
    ...DEV,
    name: 'prod',
    sseConcurrency: 100,
    deletionProtection: true,
    terminationProtection: true,
    logRetentionDays: 90,
    keepLogs: true,
  },
  // For an emulator on this machine: its upstreams listen here, and tests need short times.
  emulated: {
    ...DEV,
    name: 'emulated',
    // The last name is how a function in a container reaches the emulator.
    outboundAllow: ['127.0.0.1', 'localhost', 'localhost.localstack.cloud'],
    sseConcurrency: 100,
    publishedVersions: false,
    adminRequestsPerSec: 1_000,
    adminRequestsBurst: 1_000,
  },
}

/** The stage of `-c stage=…`; throws one error with everything that is wrong with it. */
export function stageNamed(name: unknown): Stage {
  const known = STAGE_NAMES.find((one) => one === name)
  if (known === undefined) {
    const shown = JSON.stringify(name)
    throw new Error(`stage: is ${shown}; give one of ${STAGE_NAMES.join(', ')}`)
  }
  return judged(STAGES[known])
}

/** The account that LocalStack and its kin give to everybody. */
const EMULATED_ACCOUNT = '000000000000'

/**
 * Throws where stage and account do not belong together: the emulated stage lets skills reach the hosts
 * of its own machine, which on AWS would be the inside of the function's sandbox. `account` is undefined
 * where the CLI knows none.
 */
export function judgeAccount({ name }: Stage, account: string | undefined): void {
  if (name !== 'emulated' || account === undefined || account === EMULATED_ACCOUNT) return
  throw new Error(
    `stage: emulated is for an emulator and account ${account} is none; give -c stage=dev or -c stage=prod`,
  )
}

/** The stage itself, or an error with one line per fault. */
export function judged(stage: Stage): Stage {
  const faults = stageFaults(stage)
  if (faults.length === 0) return stage
  throw new Error(`Stage ${stage.name} (lib/stages.ts) does not fit:\n  ${faults.join('\n  ')}`)
}
