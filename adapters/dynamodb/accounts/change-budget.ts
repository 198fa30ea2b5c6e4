/** Sets and ends the monthly budget in profile:{uid}. What calls have spent in it is not touched. */
import { Fault } from '../../../core/errors.ts'
import { changedBudget } from '../../../core/ledger/budget.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update } from '../client/update.ts'
import { budgetItem } from '../records/budget-item.ts'
import { profileFrom } from '../records/profile-item.ts'
import { profileKey } from '../table.ts'

type Request = Parameters<Profiles['changeBudget']>[0]

/** Tries of one change: only administrators' other changes of the same budgets interfere. */
export const BUDGET_TRIES_MAX = 8

/**
 * An existing budget gets only a new limit, so that calls made meanwhile are counted; the condition asserts
 * that it exists. When it is refused, the write for a new budget is tried. Of two changes the last one
 * counts, and a change sent twice writes the same again.
 */
export async function changeBudget(
  store: DynamoStore,
  request: Request,
): Promise<Profile | undefined> {
  let isStanding = true
  for (let tries = 1; tries <= BUDGET_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, changing(request, isStanding))
    if (answer.kind === 'written') return profileFrom(answer.item)
    if (answer.old === undefined) return undefined
    isStanding = profileFrom(answer.old).budget !== undefined
  }
  throw new Fault('store_unavailable', `profile: met other changes ${BUDGET_TRIES_MAX} times`)
}

function changing({ change, uid }: Request, isStanding: boolean): Update {
  const key = profileKey(uid)
  const after = changedBudget(undefined, change)
  if (after === undefined) return { key, set: 'REMOVE #budget', if: 'attribute_exists(#pk)' }
  if (isStanding) {
    const values = { limit: storedCredits(after.limit) }
    return { key, set: 'SET #budget.#limit = :limit', if: 'attribute_exists(#budget)', values }
  }
  const isNone = 'attribute_exists(#pk) AND attribute_not_exists(#budget)'
  return { key, set: 'SET #budget = :budget', if: isNone, values: { budget: budgetItem(after) } }
}
