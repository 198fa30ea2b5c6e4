/**
 * Budgets as JSON in a column: those of a profile, and the ones that a hold or an outcome was counted
 * in. NULL for users without budgets, so that their rows are as short as before.
 */
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import type { Budget, Counted, KeyBudgets, Profile } from '../../../core/ledger/ledger.ts'
import { jsonObjectFrom, optionalTextAt, type Row } from '../database/row.ts'

export type Budgets = Pick<Profile, 'budget' | 'keyBudgets'>

export function budgetsColumn({ budget, keyBudgets }: Budgets): string | null {
  if (budget === undefined && keyBudgets === undefined) return null
  return JSON.stringify({ user: budget, keys: keyBudgets })
}

export function budgetsAt(row: Row): Budgets {
  const text = optionalTextAt(row, 'budgets')
  if (text === undefined) return {}
  const { user, keys } = jsonObjectFrom(text, 'budgets')
  return {
    ...(isJsonObject(user) ? { budget: budgetFrom(user) } : {}),
    ...(isJsonObject(keys) ? { keyBudgets: keyBudgetsFrom(keys) } : {}),
  }
}

export function countedColumn(counted: Counted | undefined): string | null {
  return counted === undefined ? null : JSON.stringify(counted)
}

/** The column as the member `counted`; no member where the column is NULL. */
export function countedAt(row: Row): { readonly counted?: Counted } {
  const text = optionalTextAt(row, 'counted')
  if (text === undefined) return {}
  const { month, userSinceMs, keyHash, keySinceMs } = jsonObjectFrom(text, 'counted')
  return {
    counted: {
      month: textOf(month),
      ...(userSinceMs === undefined ? {} : { userSinceMs: intOf(userSinceMs) }),
      ...(keyHash === undefined ? {} : { keyHash: textOf(keyHash) }),
      ...(keySinceMs === undefined ? {} : { keySinceMs: intOf(keySinceMs) }),
    },
  }
}

function keyBudgetsFrom(keys: JsonObject): KeyBudgets {
  const entries = Object.entries(keys).flatMap(([keyHash, one]) =>
    isJsonObject(one) ? [[keyHash, budgetFrom(one)] as const] : [],
  )
  return Object.fromEntries(entries)
}

function budgetFrom({ limit, month, sinceMs, spent }: JsonObject): Budget {
  return {
    limit: intOf(limit),
    sinceMs: intOf(sinceMs),
    month: textOf(month),
    spent: intOf(spent),
  }
}

function intOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : misfit()
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : misfit()
}

function misfit(): never {
  throw new Fault('internal', 'store: a column of budgets is not what this gateway writes')
}
