/**
 * Sets and ends the monthly budgets of a user and of single keys, in profile:{uid}. What calls have
 * spent in them is not changed.
 */
import { budgetsOf, changedBudget } from '../../../core/ledger/budget.ts'
import type { Budget, Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type BudgetWrite, budgetWrite, withBudgets, writeBudgets } from './budget-writes.ts'

type Request = Parameters<Profiles['changeBudget']>[0]

export function changeBudget(
  store: DynamoStore,
  { change, uid }: Request,
): Promise<Profile | undefined> {
  return writeBudgets<never>(store, uid, (before) => {
    const budget = changedBudget(before.budget, change)
    const after = withBudgets(before, budgetsOf(budget, before.keyBudgets))
    return { ...makeUserWrite(budget, before.budget !== undefined), after }
  })
}

function makeUserWrite(
  budget: Budget | undefined,
  isExisting: boolean,
): Omit<BudgetWrite, 'after'> {
  if (budget !== undefined) return budgetWrite('#budget', budget, isExisting)
  return { set: [], remove: ['#budget'], if: 'attribute_exists(#pk)' }
}
