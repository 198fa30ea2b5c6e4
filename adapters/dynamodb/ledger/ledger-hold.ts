/**
 * Places a hold: one conditional write of the profile takes the price from the credits, counts it
 * in the budgets and in the day of its key, and adds the hold. Bound by docs/service.md, Holds,
 * Budgets and Calls per day.
 */
import { countTasks } from '../../../core/ledger/hold-deadline.ts'
import { decideHold, type HoldRequest } from '../../../core/ledger/judge-hold.ts'
import type { HoldAnswer, Profile } from '../../../core/ledger/ledger.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update, UpdateAnswer } from '../client/update.ts'
import type { Permission } from '../permission.ts'
import { fromProfileItem, toHoldItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'
import { makeCountClauses } from './budget-clauses.ts'
import { makeDayClauses } from './day-clauses.ts'

export const HOLD_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * Tries. At the beginning of a month, calls of other keys, of other sub-keys and of this key may
 * each begin some of the months and days that the write asserts; the rest is reserve.
 */
export const HOLD_TRIES_MAX = 6

/**
 * Two calls of one user at once: one item, so DynamoDB orders them, and each sees the other's hold.
 *
 *   first try ── written, answer lost ──▶ second try: refused, its own hold is there with its own
 *                                          write token ──▶ held, once
 *   another attempt of the same call ───▶ refused, the hold there has another write token
 *   limits not as last read ────────────▶ refused; the old item shows them, and the write is made again
 *
 * The same write counts the call in the day of its key (day-clauses.ts). The hold of a free call
 * has the amount 0: it asserts neither credits nor budgets, so that a debt refuses no free call.
 *
 * Dying before: nothing is taken. Dying after: the hold remains, and the sweep (or the user's next
 * call) refunds it after 60 s.
 */
export async function placeHold(store: DynamoStore, request: HoldRequest): Promise<HoldAnswer> {
  let lastRead: Profile | undefined = request.seen
  for (let tries = 1; tries <= HOLD_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, makeHoldUpdate(request, lastRead))
    if (answer.kind === 'written') return { kind: 'held', profile: fromProfileItem(answer.item) }
    const verdict = decideHold(readOld(answer), request)
    if (verdict.kind !== 'open') return verdict
    lastRead = verdict.profile
  }
  return { kind: 'refused', why: 'too_many_holds', profile: lastRead }
}

/** The profile that a refusal returns shows which clause refused, without a second read. */
function readOld(answer: Exclude<UpdateAnswer, { kind: 'written' }>): Profile | undefined {
  return answer.old === undefined ? undefined : fromProfileItem(answer.old)
}

function makeHoldUpdate(request: HoldRequest, lastRead: Profile | undefined): Update {
  const { callId, hold: placed, keyHash, parentHash, uid } = request
  const call = { ...placed, keyHash, parentHash }
  const budgets = makeCountClauses(lastRead ?? {}, call)
  const days = makeDayClauses(lastRead ?? {}, call)
  const room = roomFor(request, lastRead)
  const isFree = placed.amount === 0
  return {
    key: profileKey(uid),
    set: [
      `SET ${isFree ? '' : '#credits = #credits - :price, '}#holds.#callId = :hold`,
      '#placed = #placed + :one, #placements.#callId = #placed + :one',
      ...room.set,
      ...budgets.set,
      ...days.set,
    ].join(', '),
    if: [
      `attribute_exists(#pk)${isFree ? '' : ' AND #credits >= :price'} AND ${room.if}`,
      'attribute_not_exists(#holds.#callId) AND attribute_not_exists(#disabled)',
      ...budgets.if,
      ...days.if,
    ].join(' AND '),
    names: { callId, ...budgets.names, ...days.names },
    values: {
      ...(isFree ? {} : { price: toStoredCredits(placed.amount) }),
      hold: { ...toHoldItem(placed), ...budgets.counted },
      ...room.values,
      one: 1,
      ...budgets.values,
      ...days.values,
    },
  }
}

/**
 * Tasks and calls are counted apart. `holds` has both and `deadlines` the tasks alone, so the write
 * of a call allows as many holds more as there were tasks when the profile was read, and asserts
 * that those still run:
 *
 *   task ends ─▶ hold of a call, made for one task     refused; the old item shows it, and the write is made anew
 *   task begins ─▶ hold of a call, made for none       at worst refused, and made anew: never one call too many
 */
function roomFor({ hold: { untilMs }, holdsMax }: HoldRequest, lastRead: Profile | undefined) {
  if (untilMs !== undefined) {
    return {
      set: ['#deadlines.#callId = :untilMs'],
      if: 'size(#deadlines) < :holdsMax',
      values: { holdsMax, untilMs },
    }
  }
  const tasks = lastRead === undefined ? 0 : countTasks(lastRead)
  if (tasks === 0) return { set: [], if: 'size(#holds) < :holdsMax', values: { holdsMax } }
  return {
    set: [],
    if: 'size(#holds) < :holdsMax AND size(#deadlines) >= :tasks',
    values: { holdsMax: holdsMax + tasks, tasks },
  }
}
