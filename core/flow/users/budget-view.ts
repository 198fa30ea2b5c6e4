/** A monthly budget as administrators and users are shown it: what the running month has spent, and its end. */
import { creditsNumber } from '../../ledger/amount.ts'
import { inMonth } from '../../ledger/budget.ts'
import type { Budget } from '../../ledger/ledger.ts'
import { monthOf, renewalOf } from '../../ledger/month.ts'

export type BudgetView = {
  readonly limit: number
  /** Spent and on hold in this month. */
  readonly spent: number
  /** A date, UTC. */
  readonly renewsOn: string
}

export function budgetView(budget: Budget, nowMs: number): BudgetView {
  const { limit, month, spent } = inMonth(budget, monthOf(nowMs)) ?? budget
  return { limit: creditsNumber(limit), spent: creditsNumber(spent), renewsOn: renewalOf(month) }
}

/** The member of a view; absent without a budget. */
export function shownBudget(
  budget: Budget | undefined,
  nowMs: number,
): { readonly monthlyBudget?: BudgetView } {
  return budget === undefined ? {} : { monthlyBudget: budgetView(budget, nowMs) }
}
