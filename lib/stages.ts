/**
 * Makes the stages: `dev` and `prod` are built in, and skillgate.config.json changes them and adds
 * others (stage-file.ts reads it). stage-rules.ts checks a stage before a construct uses it. Bound
 * by docs/service.md, Deployment and Stream leases.
 */
import type { Environment } from 'aws-cdk-lib'
import { listDefaults } from '../core/settings/read-setting.ts'
import {
  type BuiltInStage,
  describeOtherAccount,
  describeUnknownStage,
  resolveRecord,
  type StageRecords,
} from '../core/settings/stage-records.ts'
import { planReservations } from './reservations.ts'
import { STAGE_FIELDS, type Stage, type StageFields } from './stage.ts'
import { findStageErrors } from './stage-rules.ts'

const DEFAULTS: StageFields = { ...listDefaults(STAGE_FIELDS), reservedConcurrency: undefined }

const BUILT_IN: { readonly [N in BuiltInStage]: StageFields } = {
  dev: {
    ...DEFAULTS,
    // All that a fresh account has: 7 streams, and 3 executions left for calls.
    sseConcurrency: 10,
  },
  prod: {
    ...DEFAULTS,
    sseConcurrency: 100,
    // What AWS grants an account that has asked once.
    accountConcurrency: 1_000,
    // What a new table serves from its first second on: 800 paid calls a second.
    tableUnitsPerSec: { write: 4_000, read: 12_000 },
    retainData: true,
    deletionProtection: true,
    terminationProtection: true,
    canaryMinutes: 10,
    logRetentionDays: 90,
    keepLogs: true,
    // Each call is in the ledger; nine lines in ten of successes are read by nobody.
    callLogSampling: 10,
  },
}

const NO_RECORDS: StageRecords = new Map()

/**
 * Returns the stage of this name, built in or of `records`. Throws an Error of one line if there is
 * none.
 */
export function getStage(name: unknown, records: StageRecords = NO_RECORDS): Stage {
  const resolved = typeof name === 'string' ? resolveRecord(name, records) : undefined
  if (resolved === undefined) throw new Error(describeUnknownStage(name, records))
  const { fields, like } = resolved
  return makeStage(String(name), like, fields)
}

/** Returns the stage: `fields`, which have the types of their rows, over those of `like`. */
export function makeStage(
  name: string,
  like: BuiltInStage,
  fields: { readonly [field: string]: unknown },
): Stage {
  // A cast, as in parsers: the reader of the file has checked each value by its row.
  const stage = { ...BUILT_IN[like], ...fields, name, like } as Stage
  const { accountConcurrency, sseConcurrency } = stage
  // A stage like prod has reservations that fit its numbers, unless it gives its own or null.
  if (like !== 'prod' || 'reservedConcurrency' in fields) return stage
  return {
    ...stage,
    reservedConcurrency: planReservations(accountConcurrency, sseConcurrency),
  }
}

/** Throws an Error if the credentials, of which the CDK may know none, are of another account. */
export function assertAccount(stage: Stage, account: string | undefined): void {
  if (stage.account === undefined || account === undefined || account === stage.account) return
  throw new Error(describeOtherAccount(stage.name, stage.account, account))
}

/** Returns account and region of the stage, or else those that the CDK's CLI knows. */
export function toEnvironment(
  stage: Pick<Stage, 'account' | 'region'>,
  env: { readonly [name: string]: string | undefined },
): Environment {
  const account = stage.account ?? env['CDK_DEFAULT_ACCOUNT']
  const region = stage.region ?? env['CDK_DEFAULT_REGION']
  return {
    ...(account === undefined ? {} : { account }),
    ...(region === undefined ? {} : { region }),
  }
}

/** Returns the stage. Throws an Error with one line for each error of the stage. */
export function assertStage(stage: Stage): Stage {
  return assertNoErrors(stage, findStageErrors(stage))
}

export function assertNoErrors(stage: Stage, errors: readonly string[]): Stage {
  if (errors.length === 0) return stage
  throw new Error(`Stage ${stage.name} does not fit:\n  ${errors.join('\n  ')}`)
}
