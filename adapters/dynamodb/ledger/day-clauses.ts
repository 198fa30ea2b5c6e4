/**
 * The calls of a day in the conditional write of a hold. The write is made for the day as last read
 * and asserts it. If the stored day differs, the write is refused and made again for that day.
 *
 *   seen: Tuesday, limit 3   asserts Tuesday, limit 3, calls < 3     calls + 1
 *   seen: Monday             asserts Monday, limit 3, limit ≥ 1      Tuesday, calls = 1
 *   seen: none               asserts none
 *
 *   30 at once, 1 left   the store orders the writes: the first finds calls 2 < 3, the others 3
 *   sent again           finds its own write token and counts nothing
 *   a late copy          places a hold that is given back, and its count stays: one call too many
 *                        is counted, never one too few
 *   a limit is set       a write that asserts none is refused and made again
 */
import { type DatedCall, findKeyDay, toCurrentDay } from '../../../core/ledger/key-days.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Clauses } from './budget-clauses.ts'

const PATH = '#keyDays.#keyHash'

/** The clauses that count a call in the day of its key. */
export function makeDayClauses(
  lastRead: Pick<Profile, 'keyDays'>,
  { heldAtMs, keyHash }: DatedCall,
): Clauses {
  if (keyHash === undefined) return { set: [], if: [], names: {}, values: {} }
  const names = { keyHash }
  const seen = findKeyDay(lastRead, keyHash)
  if (seen === undefined) {
    return { set: [], if: [`attribute_not_exists(${PATH})`], names, values: {} }
  }
  const { day } = toCurrentDay(seen, heldAtMs)
  const isRolled = day !== seen.day
  return {
    set: isRolled
      ? [`${PATH}.#day = :dayNow`, `${PATH}.#calls = :one`]
      : [`${PATH}.#calls = ${PATH}.#calls + :one`],
    if: [
      `${PATH}.#day = :daySeen`,
      `${PATH}.#limit = :dayLimit`,
      isRolled ? `${PATH}.#limit >= :one` : `${PATH}.#calls < :dayLimit`,
    ],
    names,
    values: { daySeen: seen.day, dayLimit: seen.limit, ...(isRolled ? { dayNow: day } : {}) },
  }
}
