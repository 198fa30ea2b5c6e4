/** An administrator's changes of profile:{uid}: name, tier and budget. Credits and holds are not named here. */
import { Fault } from '../../../core/errors.ts'
import { type BudgetChange, changedBudget } from '../../../core/ledger/budget.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { ProfileChange } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Update } from '../client/update.ts'
import { budgetItem } from '../records/budget-item.ts'
import { profileFrom } from '../records/profile-item.ts'
import { profileKey } from '../table.ts'

/** Only other changes of the same budgets interfere, which administrators make. */
export const CHANGE_TRIES_MAX = 8

/**
 * Two changes at once: each writes its own fields, and the last write of a field stands. Sent twice it
 * writes the same again. Without the condition a change would create a user that does not exist.
 *
 * A budget that stands gets a new limit alone, so that calls beside it are counted; the condition says
 * whether it stands. Refused, the other form is tried.
 */
export async function changeProfile(
  store: DynamoStore,
  uid: string,
  to: ProfileChange,
): Promise<Profile | undefined> {
  let isStanding = to.budget !== undefined
  for (let tries = 1; tries <= CHANGE_TRIES_MAX; tries += 1) {
    const answer = await store.update(store.tables.gateway, changing(uid, to, isStanding))
    if (answer.kind === 'written') return profileFrom(answer.item)
    if (answer.old === undefined) return undefined
    isStanding = profileFrom(answer.old).budget !== undefined
  }
  throw new Fault('store_unavailable', `profile: met other changes ${CHANGE_TRIES_MAX} times`)
}

function changing(
  uid: string,
  { budget, tier, username }: ProfileChange,
  isStanding: boolean,
): Update {
  const fields = {
    ...(username === undefined ? {} : { username }),
    ...(tier === undefined ? {} : { tier }),
  }
  const clause = budget === undefined ? NO_BUDGET : budgetClause(budget, isStanding)
  const sets = [...Object.keys(fields).map((name) => `#${name} = :${name}`), ...clause.set]
  return {
    key: profileKey(uid),
    set: [...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]), ...clause.remove].join(' '),
    if: ['attribute_exists(#pk)', ...clause.if].join(' AND '),
    values: { ...fields, ...clause.values },
  }
}

const NO_BUDGET = { set: [], remove: [], if: [], values: {} }

function budgetClause(change: BudgetChange, isStanding: boolean) {
  const after = changedBudget(undefined, change)
  if (after === undefined) return { ...NO_BUDGET, remove: ['REMOVE #budget'] }
  if (isStanding) {
    const values = { limit: storedCredits(after.limit) }
    return {
      ...NO_BUDGET,
      set: ['#budget.#limit = :limit'],
      if: ['attribute_exists(#budget)'],
      values,
    }
  }
  const values = { budget: budgetItem(after) }
  return { ...NO_BUDGET, set: ['#budget = :budget'], if: ['attribute_not_exists(#budget)'], values }
}
