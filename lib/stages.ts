/**
 * The stages: every difference between two deployments, typed, in one place. stage-rules.ts judges
 * a stage before a construct sees it. Neither this file nor a construct reads the environment; to
 * change a value, edit this file. Bound by docs/service.md, Deployment and Stream leases.
 */

import { WAITING_MB } from './door-sizes.ts'
import { reservationsFor } from './reservations.ts'
import { CAPACITIES, REPLY_TAILS, STAGE_NAMES, type Stage, type StageName } from './stage.ts'
import { stageFaults } from './stage-rules.ts'

const DEV: Stage = {
  name: 'dev',
  prefix: 'sg',
  replyTail: 'dynamodb-streams',
  tierLimits: [],
  holdsMax: 32,
  // The whole of a fresh account: 7 streams, and 3 left for calls.
  sseConcurrency: 10,
  streamsPerKeyMax: 20,
  anonymousStreams: true,
  allowedOrigins: [],
  outboundAllow: [],
  reservedConcurrency: undefined,
  accountConcurrency: 10,
  callMemoryMb: WAITING_MB,
  tableUnitsPerSec: undefined,
  capacity: 'on-demand',
  // One paid call a second, and 1,500 units saved up for more.
  provisionedUnitsMin: { write: 5, read: 5 },
  storeClient: 'light',
  publishedVersions: true,
  retainData: false,
  deletionProtection: false,
  terminationProtection: false,
  logRetentionDays: 14,
  keepLogs: false,
  adminRequestsPerSec: 10,
  adminRequestsBurst: 20,
  adminAllowedCidrs: [],
  apiLogRole: 'create',
  alarmEmail: undefined,
  monthlyBudgetUsd: undefined,
  announceToolChanges: false,
  ledgerHotDays: 90,
  callExcerpts: true,
  eventTarget: undefined,
  lowBalance: 0,
}

/** Of the stage prod: what AWS grants an account that has asked once. */
const PROD_CONCURRENCY = 1_000
const PROD_SSE_CONCURRENCY = 100

const STAGES: { readonly [N in StageName]: Stage } = {
  dev: DEV,
  prod: {
    ...DEV,
    name: 'prod',
    // This stage has more streams than a table's stream has readers, and its replies were slower with it: ADR
    // 0037.
    replyTail: 'partition',
    sseConcurrency: PROD_SSE_CONCURRENCY,
    accountConcurrency: PROD_CONCURRENCY,
    reservedConcurrency: reservationsFor(PROD_CONCURRENCY, PROD_SSE_CONCURRENCY),
    // What a new table takes from its first second on: 800 paid calls a second.
    tableUnitsPerSec: { write: 4_000, read: 12_000 },
    retainData: true,
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
    accountConcurrency: 1_000,
    publishedVersions: false,
    retainData: true,
    adminRequestsPerSec: 1_000,
    adminRequestsBurst: 1_000,
    announceToolChanges: true,
  },
}

/** Of `-c replyTail=…` and `-c capacity=…`; undefined for what the stage says. */
export type StageOptions = { readonly replyTail?: unknown; readonly capacity?: unknown }

/** The stage of `-c stage=…` with these options; throws one error with everything that is wrong with it. */
export function stageNamed(name: unknown, { capacity, replyTail }: StageOptions = {}): Stage {
  const stage = STAGES[oneOf('stage', STAGE_NAMES, name)]
  return judged({
    ...stage,
    replyTail: oneOf('replyTail', REPLY_TAILS, replyTail ?? stage.replyTail),
    capacity: oneOf('capacity', CAPACITIES, capacity ?? stage.capacity),
  })
}

/** Throws one line that names the option, what was given, and the known ones. */
export function oneOf<T extends string>(option: string, known: readonly T[], given: unknown): T {
  const one = known.find((name) => name === given)
  if (one !== undefined) return one
  throw new Error(`${option}: is ${JSON.stringify(given)}; give one of ${known.join(', ')}`)
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
