/** Sets and ends the budgets of single keys. */
import { type BudgetChange, changedBudget } from './budget.ts'
import type { KeyBudgets } from './ledger.ts'
import { KEY_BUDGETS_MAX } from './limits.ts'

export type KeyBudgetChange = {
  readonly keyHash: string
  readonly change: BudgetChange
  /** The user's keys. Budgets of other keys are dropped, because those keys were revoked. */
  readonly keys: readonly string[]
}

/** The budgets after a change, or `full` if the key would be one too many. */
export function changedKeyBudgets(
  before: KeyBudgets,
  { change, keyHash, keys }: KeyBudgetChange,
): KeyBudgets | 'full' {
  const others = Object.entries(before).filter(([hash]) => hash !== keyHash && keys.includes(hash))
  const current = Object.hasOwn(before, keyHash) ? before[keyHash] : undefined
  const budget = changedBudget(current, change)
  if (budget === undefined) return Object.fromEntries(others)
  if (current === undefined && others.length >= KEY_BUDGETS_MAX) return 'full'
  return Object.fromEntries([...others, [keyHash, budget]])
}
