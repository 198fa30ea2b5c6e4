/** A monthly budget: how administrators send it, and how they and users see it. */

import { err, ok, type Result } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { parseCredits, toCreditsNumber } from '../../ledger/amount.ts'
import { type BudgetChange, toMonthBudget } from '../../ledger/budget.ts'
import type { Budget } from '../../ledger/ledger.ts'
import { toMonth, toRenewalDay } from '../../ledger/month.ts'

export type BudgetView = {
  readonly limit: number
  /** Credits spent and on hold in this month. */
  readonly spent: number
  /** UTC date on which the next month begins. */
  readonly renewsOn: string
}

/** The view of a budget in the month of `nowMs`. */
export function toBudgetView(budget: Budget, nowMs: number): BudgetView {
  const { limit, month, spent } = toMonthBudget(budget, toMonth(nowMs)) ?? budget
  return {
    limit: toCreditsNumber(limit),
    spent: toCreditsNumber(spent),
    renewsOn: toRenewalDay(month),
  }
}

/** The budget as a member of a view; no member without a budget. */
export function toBudgetMember(
  budget: Budget | undefined,
  nowMs: number,
): { readonly monthlyBudget?: BudgetView } {
  return budget === undefined ? {} : { monthlyBudget: toBudgetView(budget, nowMs) }
}

/**
 * Parses a monthly budget as administrators send it: credits, or null to end it. An error is a
 * clause that follows the name of the field.
 */
export function readBudget(value: Json, nowMs: number): Result<BudgetChange, string> {
  if (value === null) return ok('none')
  if (typeof value !== 'number' && typeof value !== 'string') {
    return err('must be a number of credits, such as 2.5, or null for no budget')
  }
  const limit = parseCredits(value)
  return limit.ok ? ok({ limit: limit.value, nowMs }) : limit
}
