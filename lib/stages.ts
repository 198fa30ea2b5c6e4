/**
 * The stages: every difference between two deployments, typed, in one place. stage-rules.ts checks
 * a stage before a construct uses it. Neither this file nor a construct reads the environment; to
 * change a value, edit this file. Bound by docs/service.md, Deployment and Stream leases.
 */

import { describeChoices, describeWrongValue } from '../core/settings/describe-setting.ts'
import { listDefaults } from '../core/settings/read-setting.ts'
import { planReservations } from './reservations.ts'
import { STAGE_FIELDS, STAGE_NAMES, type Stage, type StageName } from './stage.ts'
import { findStageErrors } from './stage-rules.ts'

const DEFAULTS: Omit<Stage, 'name'> = {
  ...listDefaults(STAGE_FIELDS),
  reservedConcurrency: undefined,
}

/** Concurrency of the account of stage prod: what AWS grants an account that has asked once. */
const PROD_CONCURRENCY = 1_000
const PROD_SSE_CONCURRENCY = 100

const STAGES: { readonly [N in StageName]: Stage } = {
  dev: {
    ...DEFAULTS,
    name: 'dev',
    // All that a fresh account has: 7 streams, and 3 executions left for calls.
    sseConcurrency: 10,
    replyTail: 'dynamodb-streams',
  },
  // This stage uses the default tail: it has more streams than a table's stream has readers, and
  // its replies were slower with the table's stream (docs/design/streams.md#tails).
  prod: {
    ...DEFAULTS,
    name: 'prod',
    sseConcurrency: PROD_SSE_CONCURRENCY,
    accountConcurrency: PROD_CONCURRENCY,
    reservedConcurrency: planReservations(PROD_CONCURRENCY, PROD_SSE_CONCURRENCY),
    // What a new table serves from its first second on: 800 paid calls a second.
    tableUnitsPerSec: { write: 4_000, read: 12_000 },
    retainData: true,
    deletionProtection: true,
    terminationProtection: true,
    canaryMinutes: 10,
    logRetentionDays: 90,
    keepLogs: true,
  },
  // For an emulator on this machine: its upstreams run here, and tests need short times.
  emulated: {
    ...DEFAULTS,
    name: 'emulated',
    replyTail: 'dynamodb-streams',
    // A function in a container reaches the emulator by the last name.
    outboundAllow: ['127.0.0.1', 'localhost', 'localhost.localstack.cloud'],
    // The role of a fixture; an emulator gives a session of any.
    signedAccess: ['arn:aws:iam::000000000000:role/reader-of-orders'],
    accountConcurrency: 1_000,
    retainData: true,
    adminRequestsPerSec: 1_000,
    adminRequestsBurst: 1_000,
    announceToolChanges: true,
  },
}

/** The values of `-c replyTail=…` and `-c capacity=…`; undefined for the stage's own value. */
export type StageOptions = { readonly replyTail?: unknown; readonly capacity?: unknown }

/**
 * Returns the stage of `-c stage=…` with these options. Throws one Error with everything that is
 * wrong.
 */
export function getStage(name: unknown, { capacity, replyTail }: StageOptions = {}): Stage {
  const stage = STAGES[readChoice('stage', STAGE_NAMES, name)]
  return assertStage({
    ...stage,
    replyTail: readChoice(
      'replyTail',
      STAGE_FIELDS.replyTail.choices,
      replyTail ?? stage.replyTail,
    ),
    capacity: readChoice('capacity', STAGE_FIELDS.capacity.choices, capacity ?? stage.capacity),
  })
}

/**
 * Returns the choice that was given. Throws an Error of one line that names the option, the value,
 * and the known choices.
 */
export function readChoice<T extends string>(
  option: string,
  known: readonly T[],
  given: unknown,
): T {
  const one = known.find((name) => name === given)
  if (one !== undefined) return one
  throw new Error(describeWrongValue(option, given, describeChoices(known)))
}

/** The account that LocalStack and similar emulators give to everybody. */
const EMULATED_ACCOUNT = '000000000000'

/**
 * Throws an Error if stage and account do not belong together: the emulated stage lets skills reach
 * the hosts of its own machine, which on AWS would be the inside of the function's sandbox.
 * `account` is undefined if the CLI does not know one.
 */
export function assertAccount({ name }: Stage, account: string | undefined): void {
  if (name !== 'emulated' || account === undefined || account === EMULATED_ACCOUNT) return
  throw new Error(
    `stage: emulated is for an emulator and account ${account} is none; give -c stage=dev or -c stage=prod`,
  )
}

/** Returns the stage. Throws an Error with one line for each error of the stage. */
export function assertStage(stage: Stage): Stage {
  const faults = findStageErrors(stage)
  if (faults.length === 0) return stage
  throw new Error(`Stage ${stage.name} (lib/stages.ts) does not fit:\n  ${faults.join('\n  ')}`)
}
