/**
 * A monthly budget as administrators and users see it: what the current month has spent, and its
 * end.
 */
import { creditsNumber } from '../../ledger/amount.ts'
import { inMonth } from '../../ledger/budget.ts'
import type { Budget } from '../../ledger/ledger.ts'
import { monthOf, renewalOf } from '../../ledger/month.ts'

export type BudgetView = {
  readonly limit: number
  /** Credits spent and on hold in this month. */
  readonly spent: number
  /** UTC date on which the next month begins. */
  readonly renewsOn: string
}

/** The view of a budget in the month of `nowMs`. */
export function budgetView(budget: Budget, nowMs: number): BudgetView {
  const { limit, month, spent } = inMonth(budget, monthOf(nowMs)) ?? budget
  return { limit: creditsNumber(limit), spent: creditsNumber(spent), renewsOn: renewalOf(month) }
}

/** The budget as a member of a view; no member without a budget. */
export function shownBudget(
  budget: Budget | undefined,
  nowMs: number,
): { readonly monthlyBudget?: BudgetView } {
  return budget === undefined ? {} : { monthlyBudget: budgetView(budget, nowMs) }
}
