/**
 * The caller's monthly budgets as built-in tools show them: the user's, and that of the API key.
 */
import type { JsonObject } from '../../json/json.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import type { Budget } from '../../ledger/ledger.ts'
import { toBudgetView } from '../users/budget-view.ts'
import type { BuiltInCaller } from './built-in-tool.ts'

/** Amounts are credits. A budget that is not set has no field. */
export function toBudgetFields({ minute, principal, profile }: BuiltInCaller): JsonObject {
  const key = findKeyBudget(profile, principal.keyHash)
  return {
    ...(profile.budget === undefined
      ? {}
      : { monthly_budget: toFields(profile.budget, minute.nowMs) }),
    ...(key === undefined ? {} : { monthly_budget_of_key: toFields(key, minute.nowMs) }),
  }
}

function toFields(budget: Budget, nowMs: number): JsonObject {
  const { limit, renewsOn, spent } = toBudgetView(budget, nowMs)
  return { limit, spent, renews_on: renewsOn }
}
