/** Sets and ends the monthly budget of a user. What calls have spent in it is not changed. */
import { applyBudgetChange, toProfileBudgets } from '../../../core/ledger/budget.ts'
import type { Budget, Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { toBudgetItem } from '../records/budget-item.ts'
import { type BudgetWrite, withBudgets, writeBudgets } from './budget-writes.ts'

type Request = Parameters<Profiles['changeBudget']>[0]

export function changeBudget(
  store: DynamoStore,
  { change, uid }: Request,
): Promise<Profile | undefined> {
  return writeBudgets<never>(store, uid, (before) => {
    const budget = applyBudgetChange(before.budget, change)
    const after = withBudgets(before, toProfileBudgets(budget, before.keyBudgets))
    return { ...makeUserWrite(budget, before.budget !== undefined), after }
  })
}

/**
 * An existing budget gets only its new limit, so that calls made meanwhile stay counted; its event
 * may then be sent once more in this month.
 */
function makeUserWrite(
  budget: Budget | undefined,
  isExisting: boolean,
): Omit<BudgetWrite, 'after'> {
  if (budget === undefined) return { set: [], remove: ['#budget'], if: 'attribute_exists(#pk)' }
  if (!isExisting) {
    return {
      set: ['#budget = :budget'],
      remove: [],
      if: 'attribute_exists(#pk) AND attribute_not_exists(#budget)',
      values: { budget: toBudgetItem(budget) },
    }
  }
  return {
    set: ['#budget.#limit = :limit'],
    remove: ['#budget.#toldMonth'],
    if: 'attribute_exists(#budget)',
    values: { limit: toStoredCredits(budget.limit) },
  }
}
