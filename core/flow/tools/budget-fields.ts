/**
 * The caller's limits as built-in tools show them: monthly budgets of the user and of the API key,
 * the key's calls per day, and what the key may call.
 */
import type { JsonObject } from '../../json/json.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Budget, KeyDay } from '../../ledger/ledger.ts'
import { toBudgetView } from '../users/budget-view.ts'
import { toKeyDayView } from '../users/key-day-view.ts'
import type { BuiltInCaller } from './built-in-tool.ts'

/** Amounts are credits. A limit that is not set has no field. */
export function toBudgetFields({ minute, principal, profile }: BuiltInCaller): JsonObject {
  const key = findKeyBudget(profile, principal.keyHash)
  const day = findKeyDay(profile, principal.keyHash)
  const parent = findKeyBudget(profile, principal.parentHash)
  const parentDay = findKeyDay(profile, principal.parentHash)
  return {
    ...(profile.budget === undefined
      ? {}
      : { monthly_budget: toFields(profile.budget, minute.nowMs) }),
    ...(key === undefined ? {} : { monthly_budget_of_key: toFields(key, minute.nowMs) }),
    ...(day === undefined ? {} : { calls_per_day_of_key: toDayFields(day, minute.nowMs) }),
    ...(parent === undefined
      ? {}
      : { monthly_budget_of_parent_key: toFields(parent, minute.nowMs) }),
    ...(parentDay === undefined
      ? {}
      : { calls_per_day_of_parent_key: toDayFields(parentDay, minute.nowMs) }),
  }
}

/** What the API key may call. A member that limits nothing has no field. */
export function toScopeFields({ principal: { scope = {} } }: BuiltInCaller): JsonObject {
  const { maxCreditsPerCall, mayIssueKeys, parentTools, tools } = scope
  return {
    ...(tools === undefined ? {} : { tools_of_key: tools }),
    ...(parentTools === undefined ? {} : { tools_of_parent_key: parentTools }),
    ...(mayIssueKeys === undefined ? {} : { may_issue_keys: mayIssueKeys }),
    ...(maxCreditsPerCall === undefined
      ? {}
      : { credits_per_call_of_key: toCreditsNumber(maxCreditsPerCall) }),
  }
}

function toDayFields(keyDay: KeyDay, nowMs: number): JsonObject {
  const { limit, made, renewsOn } = toKeyDayView(keyDay, nowMs)
  return { limit, made, renews_on: renewsOn }
}

function toFields(budget: Budget, nowMs: number): JsonObject {
  const { limit, renewsOn, spent } = toBudgetView(budget, nowMs)
  return { limit, spent, renews_on: renewsOn }
}
