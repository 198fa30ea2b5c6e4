/** Sets and ends the budgets of single keys; the one rule that every store follows. */
import { type BudgetChange, changedBudget } from './budget.ts'
import type { KeyBudgets } from './ledger.ts'
import { KEY_BUDGETS_MAX } from './limits.ts'

export type KeyBudgetChange = {
  readonly keyHash: string
  readonly change: BudgetChange
  /** The user's keys. Budgets of others are left out: those keys were revoked. */
  readonly keys: readonly string[]
}

export function changedKeyBudgets(
  before: KeyBudgets,
  { change, keyHash, keys }: KeyBudgetChange,
): KeyBudgets | 'full' {
  const others = Object.entries(before).filter(([hash]) => hash !== keyHash && keys.includes(hash))
  const standing = Object.hasOwn(before, keyHash) ? before[keyHash] : undefined
  const budget = changedBudget(standing, change)
  if (budget === undefined) return Object.fromEntries(others)
  if (standing === undefined && others.length >= KEY_BUDGETS_MAX) return 'full'
  return Object.fromEntries([...others, [keyHash, budget]])
}
