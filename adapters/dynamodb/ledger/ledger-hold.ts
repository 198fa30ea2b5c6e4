/**
 * The price of a call leaves the credits, is counted in the budgets, and becomes a hold: one conditional
 * write of the profile. Bound by docs/service.md, Holds and Budgets.
 */

import type { HoldRequest } from '../../../core/ledger/hold-request.ts'
import { judgeHold } from '../../../core/ledger/judge-hold.ts'
import type { HoldAnswer, Leftover, Profile } from '../../../core/ledger/ledger.ts'
import { withoutCalls } from '../../../core/ledger/leftovers.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update, UpdateAnswer } from '../client/update.ts'
import type { Permission } from '../permission.ts'
import { holdItem, profileFrom } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'
import { countingClauses } from './budget-clauses.ts'
import { leftoverClauses, standingLeftovers } from './leftover-clauses.ts'

export const HOLD_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * Budgets change during a hold when a month begins or an administrator changes them; further tries
 * are reserve.
 */
export const HOLD_TRIES_MAX = 4

/**
 * Two calls of one user at once: one item, so DynamoDB orders them, and each sees the other's hold.
 *
 *   first try ── written, answer lost ──▶ second try: refused, its own hold is there with its own
 *                                          write token ──▶ held, once
 *   another attempt of the same call ───▶ refused, the hold there has another write token
 *   budgets not as seen ────────────────▶ refused; the old item shows them, and the write is made anew
 *
 *   leftovers of charged calls ──────────▶ removed in the same write, each by its number: two holds at once both
 *                                          name one, and the second finds it gone; a void takes it along before, or
 *                                          finds it gone; a late copy of either finds no hold of that number
 * Dying before: nothing was taken. Dying after: the hold stands with its time, and the sweep (or
 * the user's next call) refunds it after 60 s.
 */
export async function hold(store: DynamoStore, request: HoldRequest): Promise<HoldAnswer> {
  let lastRead: Profile | undefined = request.seen
  let leftovers: readonly Leftover[] = (request.leftovers ?? []).filter(
    ({ callId }) => callId !== request.callId,
  )
  for (let tries = 1; tries <= HOLD_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, holding(request, lastRead, leftovers))
    if (answer.kind === 'written') return { kind: 'held', profile: profileFrom(answer.item) }
    const old = oldOf(answer)
    leftovers = old === undefined ? [] : standingLeftovers(leftovers, old)
    const judged = judgeHold(old && { ...old, holds: withoutCalls(old.holds, leftovers) }, request)
    if (judged.kind === 'held') return judged
    if (judged.kind === 'refused') return { ...judged, profile: old }
    lastRead = old
  }
  return { kind: 'refused', why: 'too_many_holds', profile: lastRead }
}

/** The old item shows which clause refused; there is no second read. */
function oldOf(answer: Exclude<UpdateAnswer, { kind: 'written' }>): Profile | undefined {
  return answer.old === undefined ? undefined : profileFrom(answer.old)
}

function holding(
  request: HoldRequest,
  lastRead: Profile | undefined,
  leftovers: readonly Leftover[],
): Update {
  const { callId, hold: placed, holdsMax, keyHash, uid } = request
  const left = leftoverClauses(leftovers)
  const budgets = countingClauses(lastRead ?? {}, { ...placed, keyHash })
  return {
    key: profileKey(uid),
    set:
      [
        'SET #credits = #credits - :price, #holds.#callId = :hold, ' +
          '#placed = #placed + :one, #placements.#callId = #placed + :one',
        ...budgets.set,
      ].join(', ') + (left.remove.length === 0 ? '' : ` REMOVE ${left.remove.join(', ')}`),
    if: [
      'attribute_exists(#pk) AND #credits >= :price',
      hasRoom(left.all),
      'attribute_not_exists(#holds.#callId) AND attribute_not_exists(#disabled)',
      ...left.if,
      ...budgets.if,
    ].join(' AND '),
    names: { callId, ...left.names, ...budgets.names },
    values: {
      price: storedCredits(placed.amount),
      hold: { ...holdItem(placed), ...budgets.counted },
      holdsMax,
      ...(left.all === undefined ? {} : { holdsMaxLeft: holdsMax + leftovers.length }),
      one: 1,
      ...left.values,
      ...budgets.values,
    },
  }
}

/** Exact whether all leftovers stand or none; where some do, it may refuse, and the next try names those alone. */
function hasRoom(allStand: string | undefined): string {
  const room = 'size(#holds) < :holdsMax'
  return allStand === undefined
    ? room
    : `(${room} OR (size(#holds) < :holdsMaxLeft AND ${allStand}))`
}
