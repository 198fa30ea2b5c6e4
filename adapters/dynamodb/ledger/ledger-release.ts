/**
 * Releases a hold: one conditional write removes it from the profile, and gives its credits back or
 * not. Bound by docs/service.md, Release.
 */
import { Fault } from '../../../core/errors.ts'
import type { Counted, Hold, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update } from '../client/update.ts'
import type { Permission } from '../permission.ts'
import { toCountedMember } from '../records/budget-item.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'
import { makeRefundClauses } from './budget-clauses.ts'

type Release = Parameters<Ledger['release']>[0]

/** Removes the hold, its placement number and its deadline. */
export const REMOVE_HOLD_CLAUSE = 'REMOVE #holds.#callId, #placements.#callId, #deadlines.#callId'
/** The condition that the call has a hold. */
export const IF_HELD = 'attribute_exists(#holds.#callId)'

export const RELEASE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/** Tries: a refund needs a second one during the first call of a month or a change of a budget. */
export const RELEASE_TRIES_MAX = 6

/**
 * Resolves to the profile after the release. The write that removes the hold gives back the hold's
 * own amount.
 *
 *   settled(1) ─┬─ release #1 ✔ ── release #1 again, by the sweep or the next call: finds no hold, changes nothing
 *               ├─ void: removes #1, credits back ✔ ── release #1: finds no hold, changes nothing
 *               ├─ a late copy of hold 1 is placed as #2 ── release #1: refused by the number; #2 is given back after 60 s
 *               └─ dies here: #1 stays on hold; after 60 s the sweep or the next call releases it by its outcome
 * A refusal returns the stored profile. Dying after: the release is complete.
 *
 * The same write takes the amount out of the budgets that counted it, if they are still in that
 * month. The write asserts the budgets that it assumes; its refusal returns the stored ones.
 */
export async function releaseHold(
  store: DynamoStore,
  request: Release,
): Promise<Profile | undefined> {
  let assumed: Assumed = { counted: request.counted, seen: undefined }
  for (let tries = 1; tries <= RELEASE_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, makeReleaseUpdate(request, assumed))
    const item = answer.kind === 'written' ? answer.item : answer.old
    const profile = item === undefined ? undefined : fromProfileItem(item)
    if (answer.kind === 'written' || profile === undefined) return profile
    const hold = findMeantHold(profile, request)
    if (hold === undefined) return profile
    assumed = { counted: hold.counted, seen: profile }
  }
  throw new Fault('store_unavailable', `release: met other writes ${RELEASE_TRIES_MAX} times`)
}

/** Undefined if the call has no hold, or only the hold of another placement. */
function findMeantHold(profile: Profile, { callId, placement }: Release): Hold | undefined {
  const hold = Object.hasOwn(profile.holds, callId) ? profile.holds[callId] : undefined
  return placement === undefined || hold?.placement === placement ? hold : undefined
}

/** The hold and the budgets that the next try assumes. */
type Assumed = { readonly counted: Counted | undefined; readonly seen: Profile | undefined }

function makeReleaseUpdate(
  { uid, callId, giveBack, placement }: Release,
  assumed: Assumed,
): Update {
  const held = placement === undefined ? IF_HELD : `${IF_HELD} AND #placements.#callId = :placement`
  const placed = placement === undefined ? {} : { placement }
  const key = profileKey(uid)
  if (!giveBack) {
    return { key, set: REMOVE_HOLD_CLAUSE, if: held, names: { callId }, values: placed }
  }
  const amount = '#holds.#callId.#amount'
  const budgets = makeRefundClauses(assumed.seen, assumed.counted, amount)
  const counted = '#holds.#callId.#counted'
  const isCounted =
    assumed.counted === undefined ? `attribute_not_exists(${counted})` : `${counted} = :counted`
  return {
    key,
    set: `SET ${[`#credits = #credits + ${amount}`, ...budgets.set].join(', ')} ${REMOVE_HOLD_CLAUSE}`,
    if: [held, isCounted, ...budgets.if].join(' AND '),
    names: { callId, ...budgets.names },
    values: { ...placed, ...budgets.values, ...toCountedMember(assumed.counted) },
  }
}
