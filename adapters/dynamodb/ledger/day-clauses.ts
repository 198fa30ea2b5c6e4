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
import { type Clauses, joinClauses } from './budget-clauses.ts'

/** The clauses that count a call in the day of its key, and of the key that issued that one. */
export function makeDayClauses(lastRead: Pick<Profile, 'keyDays'>, call: DatedCall): Clauses {
  const { heldAtMs, keyHash, parentHash } = call
  return joinClauses([
    ...(keyHash === undefined
      ? []
      : [countInDay('keyHash', lastRead, { hash: keyHash, heldAtMs })]),
    ...(parentHash === undefined
      ? []
      : [countInDay('parentHash', lastRead, { hash: parentHash, heldAtMs })]),
  ])
}

/** `name` is the name of the key's hash in the expression. */
function countInDay(
  name: 'keyHash' | 'parentHash',
  lastRead: Pick<Profile, 'keyDays'>,
  { hash, heldAtMs }: { readonly hash: string; readonly heldAtMs: number },
): Clauses {
  const path = `#keyDays.#${name}`
  const names = { [name]: hash }
  const seen = findKeyDay(lastRead, hash)
  if (seen === undefined) {
    return { set: [], if: [`attribute_not_exists(${path})`], names, values: {} }
  }
  const { day } = toCurrentDay(seen, heldAtMs)
  const isRolled = day !== seen.day
  return {
    set: isRolled
      ? [`${path}.#day = :${name}DayNow`, `${path}.#calls = :one`]
      : [`${path}.#calls = ${path}.#calls + :one`],
    if: [
      `${path}.#day = :${name}Day`,
      `${path}.#limit = :${name}Limit`,
      isRolled ? `${path}.#limit >= :one` : `${path}.#calls < :${name}Limit`,
    ],
    names,
    values: {
      [`${name}Day`]: seen.day,
      [`${name}Limit`]: seen.limit,
      ...(isRolled ? { [`${name}DayNow`]: day } : {}),
    },
  }
}
