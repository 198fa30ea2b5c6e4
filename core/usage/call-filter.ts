/** The filter of an administrator's list of calls: user, skill, outcome, time and duration. */
import type { CallRow } from './call-row.ts'

export type CallFilter = {
  readonly user: string | undefined
  readonly skill: string | undefined
  /** `settled`, `refunded`, or one reason of a refund. */
  readonly outcome: string | undefined
  /** Calls that started at or after this time… */
  readonly sinceMs: number
  /** …and before this one. */
  readonly untilMs: number
  readonly minMs: number
}

/** True if the filter allows the call. */
export function passes(row: CallRow, filter: CallFilter): boolean {
  const { minMs, outcome, sinceMs, skill, untilMs, user } = filter
  if (row.createdAtMs < sinceMs || row.createdAtMs >= untilMs) return false
  if (row.durationMs < minMs) return false
  if (user !== undefined && row.uid !== user) return false
  if (skill !== undefined && row.skillId !== skill) return false
  return outcome === undefined || row.state === outcome || row.reason === outcome
}
