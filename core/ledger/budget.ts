/**
 * Monthly budgets of a user and of single keys: what a hold adds to them, what a refund gives back, and
 * the one rule at the limit that every store follows. A hold is counted in the same write that places
 * it. Pure. Bound by docs/service.md, Budgets.
 *
 *   October: hold A ─┬─ November: hold B rolls the month over ─ refund of A: another month, nothing
 *   to give back     └─ a hold whose clock is behind counts in November: a month never goes back
 */
import type { Budget, Counted, KeyBudgets, MicroCredits, Profile } from './ledger.ts'
import { type Month, monthOf } from './month.ts'

/** A new limit, or the end of a budget. A new limit leaves what the month has spent, and may be reached anew. */
export type BudgetChange = { readonly limit: MicroCredits; readonly nowMs: number } | 'none'

type ProfileBudgets = Pick<Profile, 'budget' | 'keyBudgets'>

/** A call as budgets see it. */
export type BudgetedCall = {
  readonly amount: MicroCredits
  readonly heldAtMs: number
  readonly keyHash: string | undefined
}

export type Counting = {
  /** Undefined: no budget applies. */
  readonly counted: Counted | undefined
  /** The profile's budgets with this call counted. */
  readonly after: ProfileBudgets
  /** The budget that has no room for the call, the user's before the key's. */
  readonly reached: { readonly whose: 'user' | 'key'; readonly budget: Budget } | undefined
}

export function countCall(profile: ProfileBudgets, call: BudgetedCall): Counting {
  const user = profile.budget
  const key = keyBudgetOf(profile, call.keyHash)
  if (user === undefined && key === undefined) {
    return { counted: undefined, after: {}, reached: undefined }
  }
  const month = countedMonth(call.heldAtMs, [user, key])
  const [userNow, keyNow] = [inMonth(user, month), inMonth(key, month)]
  const { amount, keyHash = '' } = call
  return {
    counted: {
      month,
      ...(user === undefined ? {} : { userSinceMs: user.sinceMs }),
      ...(key === undefined ? {} : { keyHash, keySinceMs: key.sinceMs }),
    },
    after: {
      ...(userNow === undefined ? {} : { budget: spending(userNow, amount) }),
      ...(keyNow === undefined
        ? {}
        : { keyBudgets: { ...profile.keyBudgets, [keyHash]: spending(keyNow, amount) } }),
    },
    reached: reachedOf(userNow, keyNow, amount),
  }
}

/** The budgets of the profile after the refund of a call that was counted in the budgets given. */
export function giveBack(
  profile: ProfileBudgets,
  counted: Counted | undefined,
  amount: MicroCredits,
): ProfileBudgets {
  if (counted === undefined) return {}
  const { keyHash = '' } = counted
  const { budget } = profile
  const key = keyBudgetOf(profile, counted.keyHash)
  return {
    ...(budget !== undefined && isCountedIn(budget, counted.userSinceMs, counted.month)
      ? { budget: spending(budget, -amount) }
      : {}),
    ...(key !== undefined && isCountedIn(key, counted.keySinceMs, counted.month)
      ? { keyBudgets: { ...profile.keyBudgets, [keyHash]: spending(key, -amount) } }
      : {}),
  }
}

/** Whether the refund of a call, counted as given, is to be subtracted from this budget. */
export function isCountedIn(budget: Budget, sinceMs: number | undefined, month: Month): boolean {
  return budget.sinceMs === sinceMs && budget.month === month
}

/** The month that a call counts in: that of its hold, or a later one that a budget has reached. */
export function countedMonth(heldAtMs: number, budgets: readonly (Budget | undefined)[]): Month {
  return budgets.reduce<Month>(
    (latest, budget) => (budget !== undefined && budget.month > latest ? budget.month : latest),
    monthOf(heldAtMs),
  )
}

/** The budget as it stands in a month: nothing is spent in a month that it has not reached. */
export function inMonth(budget: Budget | undefined, month: Month): Budget | undefined {
  if (budget === undefined || budget.month >= month) return budget
  return { ...budget, month, spent: 0 }
}

export function keyBudgetOf(
  profile: ProfileBudgets,
  keyHash: string | undefined,
): Budget | undefined {
  const budgets = profile.keyBudgets ?? {}
  return keyHash !== undefined && Object.hasOwn(budgets, keyHash) ? budgets[keyHash] : undefined
}

/** The members of a profile with these budgets; absent and empty ones are left out. */
export function budgetsOf(
  budget: Budget | undefined,
  keyBudgets: KeyBudgets | undefined = {},
): ProfileBudgets {
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(Object.keys(keyBudgets).length === 0 ? {} : { keyBudgets }),
  }
}

export function changedBudget(
  before: Budget | undefined,
  change: BudgetChange,
): Budget | undefined {
  if (change === 'none') return undefined
  const { limit, nowMs } = change
  if (before !== undefined) {
    const { toldMonth: _of, ...standing } = before
    return { ...standing, limit }
  }
  return { limit, sinceMs: nowMs, month: monthOf(nowMs), spent: 0 }
}

function reachedOf(
  user: Budget | undefined,
  key: Budget | undefined,
  amount: MicroCredits,
): Counting['reached'] {
  if (user !== undefined && isPast(user, amount)) return { whose: 'user', budget: user }
  if (key !== undefined && isPast(key, amount)) return { whose: 'key', budget: key }
  return undefined
}

/** A call that spends exactly the limit fits. */
function isPast({ limit, spent }: Budget, amount: MicroCredits): boolean {
  return spent + amount > limit
}

function spending(budget: Budget, amount: MicroCredits): Budget {
  return { ...budget, spent: budget.spent + amount }
}
