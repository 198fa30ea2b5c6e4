/**
 * The fields of a stage: every difference between two deployments, typed by core/settings/table.ts.
 * The stages are in stages.ts, the rules between fields in stage-rules.ts.
 */
import type { ValuesOf } from '../core/settings/setting.ts'
import { SETTINGS, STAGE_SETTINGS } from '../core/settings/table.ts'
import type { Reservations } from './reservations.ts'

export const STAGE_NAMES = ['dev', 'prod', 'emulated'] as const
export type StageName = (typeof STAGE_NAMES)[number]

export const STAGE_FIELDS = { ...SETTINGS, ...STAGE_SETTINGS }

/**
 * How the Gateway table is paid: per request, or per hour for a capacity that follows the load (ADR
 * 0078).
 */
export type Capacity = Stage['capacity']

export type UnitsPerSec = Stage['provisionedUnitsMin']

export type Stage = Omit<ValuesOf<typeof STAGE_FIELDS>, 'reservedConcurrency'> & {
  readonly name: StageName
  readonly reservedConcurrency: Reservations | undefined
}
