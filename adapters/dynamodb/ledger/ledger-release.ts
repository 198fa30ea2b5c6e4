/**
 * The end of a hold: it leaves the profile, with or without its credits. One conditional write.
 * Bound by docs/service.md, Release.
 */
import { Fault } from '../../../core/errors.ts'
import type { Counted, Hold, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update } from '../client/update.ts'
import type { Permission } from '../permission.ts'
import { countedItem } from '../records/budget-item.ts'
import { profileFrom } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'
import { refundClauses } from './budget-clauses.ts'

type Release = Parameters<Ledger['release']>[0]

/** Removes the hold at most once, together with its placement number and its deadline. */
export const REMOVE_HOLD = 'REMOVE #holds.#callId, #placements.#callId, #deadlines.#callId'
export const HELD = 'attribute_exists(#holds.#callId)'

export const RELEASE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/** A refund during the first call of a month, or during a change of a budget, needs a second try. */
export const RELEASE_TRIES_MAX = 6

/**
 * The amount given back is the hold's own, added by the write that removes the hold.
 *
 *   settled(1) ─┬─ release #1 ✔ ── release #1 again, by the sweep or the next call: finds no hold, changes nothing
 *               ├─ void: takes #1 along, credits back ✔ ── release #1: finds no hold, changes nothing
 *               ├─ a late copy of hold 1 stands as #2 ── release #1: refused by the number; #2 is given back after 60 s
 *               └─ dies here: #1 stays on hold; after 60 s the sweep or the next call releases it by its outcome
 * Its refusal returns the profile. Dying after: all is done.
 *
 * An amount given back leaves the budgets that counted it in the same write, if they still stand in
 * that month. The write asserts the budgets that it assumes; its refusal returns the stored ones.
 */
export async function release(store: DynamoStore, request: Release): Promise<Profile | undefined> {
  let known: Known = { counted: request.counted, seen: undefined }
  for (let tries = 1; tries <= RELEASE_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, releasing(request, known))
    const item = answer.kind === 'written' ? answer.item : answer.old
    const profile = item === undefined ? undefined : profileFrom(item)
    if (answer.kind === 'written' || profile === undefined) return profile
    const hold = meantHold(profile, request)
    if (hold === undefined) return profile
    known = { counted: hold.counted, seen: profile }
  }
  throw new Fault('store_unavailable', `release: met other writes ${RELEASE_TRIES_MAX} times`)
}

/** Undefined when the hold is gone, or another attempt's stands in its place. */
function meantHold(profile: Profile, { callId, placement }: Release): Hold | undefined {
  const hold = Object.hasOwn(profile.holds, callId) ? profile.holds[callId] : undefined
  return placement === undefined || hold?.placement === placement ? hold : undefined
}

/** The hold and the budgets that the next try assumes. */
type Known = { readonly counted: Counted | undefined; readonly seen: Profile | undefined }

function releasing({ uid, callId, giveBack, placement }: Release, known: Known): Update {
  const held = placement === undefined ? HELD : `${HELD} AND #placements.#callId = :placement`
  const placed = placement === undefined ? {} : { placement }
  const key = profileKey(uid)
  if (!giveBack) {
    return { key, set: REMOVE_HOLD, if: held, names: { callId }, values: placed }
  }
  const amount = '#holds.#callId.#amount'
  const budgets = refundClauses(known.seen, known.counted, amount)
  const counted = '#holds.#callId.#counted'
  const isCounted =
    known.counted === undefined ? `attribute_not_exists(${counted})` : `${counted} = :counted`
  return {
    key,
    set: `SET ${[`#credits = #credits + ${amount}`, ...budgets.set].join(', ')} ${REMOVE_HOLD}`,
    if: [held, isCounted, ...budgets.if].join(' AND '),
    names: { callId, ...budgets.names },
    values: { ...placed, ...budgets.values, ...countedItem(known.counted) },
  }
}
