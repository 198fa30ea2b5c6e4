/** Sets and ends the monthly budget in profile:{uid}. What calls have spent in it is not touched. */
import { budgetsOf, changedBudget } from '../../../core/ledger/budget.ts'
import type { Budget, Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { budgetItem } from '../records/budget-item.ts'
import { type BudgetWrite, withBudgets, writeBudgets } from './budget-writes.ts'

type Request = Parameters<Profiles['changeBudget']>[0]

export function changeBudget(
  store: DynamoStore,
  { change, uid }: Request,
): Promise<Profile | undefined> {
  return writeBudgets<never>(store, uid, (before) => {
    const budget = changedBudget(before.budget, change)
    const after = withBudgets(before, budgetsOf(budget, before.keyBudgets))
    return { ...writeOf(budget, before.budget !== undefined), after }
  })
}

/** An existing budget gets only its new limit, so that calls made meanwhile are counted. */
function writeOf(budget: Budget | undefined, isStanding: boolean): Omit<BudgetWrite, 'after'> {
  if (budget === undefined) return { set: [], remove: ['#budget'], if: 'attribute_exists(#pk)' }
  if (isStanding) {
    return {
      set: ['#budget.#limit = :limit'],
      // The new limit may be reached once more in this month.
      remove: ['#budget.#toldMonth'],
      if: 'attribute_exists(#budget)',
      values: { limit: storedCredits(budget.limit) },
    }
  }
  return {
    set: ['#budget = :budget'],
    remove: [],
    if: 'attribute_exists(#pk) AND attribute_not_exists(#budget)',
    values: { budget: budgetItem(budget) },
  }
}
