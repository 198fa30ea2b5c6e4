/**
 * The stages: every difference between two deployments, typed, in one place. stage-rules.ts judges
 * a stage before a construct sees it. Neither this file nor a construct reads the environment; to
 * change a value, edit this file. Bound by docs/service.md, Deployment and Stream leases.
 */

import { choiceRule, defaultsOf, faultLine } from '../core/settings/read-setting.ts'
import { reservationsFor } from './reservations.ts'
import { STAGE_FIELDS, STAGE_NAMES, type Stage, type StageName } from './stage.ts'
import { stageFaults } from './stage-rules.ts'

const DEFAULTS: Omit<Stage, 'name'> = {
  ...defaultsOf(STAGE_FIELDS),
  reservedConcurrency: undefined,
}

/** Of the stage prod: what AWS grants an account that has asked once. */
const PROD_CONCURRENCY = 1_000
const PROD_SSE_CONCURRENCY = 100

const STAGES: { readonly [N in StageName]: Stage } = {
  dev: {
    ...DEFAULTS,
    name: 'dev',
    // The whole of a fresh account: 7 streams, and 3 left for calls.
    sseConcurrency: 10,
    replyTail: 'dynamodb-streams',
  },
  // The default tail: this stage has more streams than a table's stream has readers, and its replies were slower with
  // it (ADR 0037).
  prod: {
    ...DEFAULTS,
    name: 'prod',
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
    ...DEFAULTS,
    name: 'emulated',
    replyTail: 'dynamodb-streams',
    // The last name is how a function in a container reaches the emulator.
    outboundAllow: ['127.0.0.1', 'localhost', 'localhost.localstack.cloud'],
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
    replyTail: oneOf('replyTail', STAGE_FIELDS.replyTail.choices, replyTail ?? stage.replyTail),
    capacity: oneOf('capacity', STAGE_FIELDS.capacity.choices, capacity ?? stage.capacity),
  })
}

/** Throws one line that names the option, what was given, and the known ones. */
export function oneOf<T extends string>(option: string, known: readonly T[], given: unknown): T {
  const one = known.find((name) => name === given)
  if (one !== undefined) return one
  throw new Error(faultLine(option, given, choiceRule(known)))
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
