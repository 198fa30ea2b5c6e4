/** Calls per day of a key: how administrators send the limit, and how they and users see it. */
import { err, ok, type Result } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { toUtcDay } from '../../json/utc-time.ts'
import { type KeyDayChange, toCurrentDay, toDayEndMs } from '../../ledger/key-days.ts'
import type { KeyDay } from '../../ledger/ledger.ts'
import { CALLS_PER_DAY_MAX } from '../../ledger/limits.ts'

export type KeyDayView = {
  readonly limit: number
  /** Calls that the key has made in this day, failed ones included. */
  readonly made: number
  /** UTC date on which the next day begins. */
  readonly renewsOn: string
}

/** The view in the day of `nowMs`. */
export function toKeyDayView(keyDay: KeyDay, nowMs: number): KeyDayView {
  const { calls, day, limit } = toCurrentDay(keyDay, nowMs)
  return { limit, made: calls, renewsOn: toUtcDay(toDayEndMs(day)) }
}

/** The limit as a member of a view; no member without a limit. */
export function toKeyDayMember(
  keyDay: KeyDay | undefined,
  nowMs: number,
): { readonly callsPerDay?: KeyDayView } {
  return keyDay === undefined ? {} : { callsPerDay: toKeyDayView(keyDay, nowMs) }
}

export const CALLS_PER_DAY_RULE = `must be a whole number of calls from 1 to ${CALLS_PER_DAY_MAX}, or null for no limit`

/** Parses the limit. An error is a clause that follows the name of the field. */
export function readCallsPerDay(value: Json, nowMs: number): Result<KeyDayChange, string> {
  if (value === null) return ok('none')
  const isLimit = typeof value === 'number' && Number.isInteger(value) && value >= 1
  if (!isLimit || value > CALLS_PER_DAY_MAX) return err(CALLS_PER_DAY_RULE)
  return ok({ limit: value, nowMs })
}
