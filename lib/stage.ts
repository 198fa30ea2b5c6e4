/**
 * The fields of a stage: every difference between two deployments, typed by core/settings/table.ts.
 * The stages are in stages.ts, the rules between fields in stage-rules.ts.
 */
import type { ValuesOf } from '../core/settings/setting.ts'
import type { BuiltInStage } from '../core/settings/stage-records.ts'
import { SETTINGS, STAGE_SETTINGS } from '../core/settings/table.ts'
import type { Reservations } from './reservations.ts'

export const STAGE_FIELDS = { ...SETTINGS, ...STAGE_SETTINGS }

/**
 * How the Gateway table is paid: per request, or per hour for a capacity that follows the load (ADR
 * 0078).
 */
export type Capacity = Stage['capacity']

export type UnitsPerSec = Stage['provisionedUnitsMin']

/** The values of all fields that a stage may have. */
export type StageFields = Omit<ValuesOf<typeof STAGE_FIELDS>, 'reservedConcurrency'> & {
  readonly reservedConcurrency: Reservations | undefined
}

export type Stage = StageFields & {
  /** 1 to 16 of a-z, 0-9 and -, a letter first. */
  readonly name: string
  /** The built-in stage that it is like, directly or by other stages. */
  readonly like: BuiltInStage
}

/** The account that LocalStack and similar emulators give to everybody. */
const EMULATED_ACCOUNT = '000000000000'

/**
 * Tells whether the stage is for an emulator on this machine. Only there may skills and issuers use
 * the machine itself; on AWS that would be the inside of a function's sandbox.
 */
export function isEmulated({ account }: Pick<Stage, 'account'>): boolean {
  return account === EMULATED_ACCOUNT
}
