/**
 * Monthly budgets of a user and of single keys: what a hold adds to them, what a refund gives back,
 * and the rule at the limit. A hold is counted in the same write that places it. Bound by
 * docs/service.md, Budgets.
 *
 *   October: hold A ─┬─ November: hold B opens the month ─ refund of A gives nothing back
 *                    └─ a hold whose clock is behind is counted in November: no month goes back
 */
import type { Budget, Counted, KeyBudgets, MicroCredits, Profile } from './ledger.ts'
import { KEY_BUDGETS_MAX } from './limits.ts'
import { type Month, toMonth } from './month.ts'

/**
 * A new limit, or the end of a budget. A new limit keeps what the month has spent, and reaching it
 * causes a new event.
 */
export type BudgetChange = { readonly limit: MicroCredits; readonly nowMs: number } | 'none'

type ProfileBudgets = Pick<Profile, 'budget' | 'keyBudgets'>

/** The fields of a call that budgets need. */
export type BudgetedCall = {
  readonly amount: MicroCredits
  readonly heldAtMs: number
  readonly keyHash: string | undefined
  /** The key that issued the sub-key of the call. */
  readonly parentHash?: string | undefined
}

export type Counting = {
  /** Undefined if no budget applies. */
  readonly counted: Counted | undefined
  /** The budget that has no room for the call; the user's first, then the key's. */
  readonly reached: ReachedBudget | undefined
}

export type ReachedBudget = {
  readonly whose: 'user' | 'key' | 'parent'
  /** The key whose budget it is; undefined for the user's. */
  readonly keyHash: string | undefined
  readonly budget: Budget
}

/**
 * Counts a call in the budgets of its user, its key and the key that issued that one. Budgets do
 * not count a free call.
 */
export function countCall(profile: ProfileBudgets, call: BudgetedCall): Counting {
  const user = profile.budget
  const key = findKeyBudget(profile, call.keyHash)
  const parent = findKeyBudget(profile, call.parentHash)
  const hasNone = user === undefined && key === undefined && parent === undefined
  if (call.amount === 0 || hasNone) return { counted: undefined, reached: undefined }
  const month = chooseCountedMonth(call.heldAtMs, [user, key, parent])
  const { amount, keyHash = '', parentHash = '' } = call
  return {
    counted: {
      month,
      ...(user === undefined ? {} : { userSinceMs: user.sinceMs }),
      ...(key === undefined ? {} : { keyHash, keySinceMs: key.sinceMs }),
      ...(parent === undefined ? {} : { parentHash, parentSinceMs: parent.sinceMs }),
    },
    reached:
      findReached('user', undefined, toMonthBudget(user, month), amount) ??
      findReached('key', keyHash, toMonthBudget(key, month), amount) ??
      findReached('parent', parentHash, toMonthBudget(parent, month), amount),
  }
}

/**
 * True if the refund of a call is subtracted from this budget: it is the same budget in the same
 * month.
 */
export function isCountedIn(budget: Budget, sinceMs: number | undefined, month: Month): boolean {
  return budget.sinceMs === sinceMs && budget.month === month
}

/**
 * The month in which a call is counted: that of its hold, or a later one that a budget has reached.
 */
export function chooseCountedMonth(
  heldAtMs: number,
  budgets: readonly (Budget | undefined)[],
): Month {
  return budgets.reduce<Month>(
    (latest, budget) => (budget !== undefined && budget.month > latest ? budget.month : latest),
    toMonth(heldAtMs),
  )
}

/** The budget in a month. Nothing is spent yet in a month that the budget has not reached. */
export function toMonthBudget(budget: Budget | undefined, month: Month): Budget | undefined {
  if (budget === undefined || budget.month >= month) return budget
  return { ...budget, month, spent: 0 }
}

/** The budget of a key; undefined if the key has none. */
export function findKeyBudget(
  profile: ProfileBudgets,
  keyHash: string | undefined,
): Budget | undefined {
  const budgets = profile.keyBudgets ?? {}
  return keyHash !== undefined && Object.hasOwn(budgets, keyHash) ? budgets[keyHash] : undefined
}

/** The members of a profile with these budgets; absent and empty ones are omitted. */
export function toProfileBudgets(
  budget: Budget | undefined,
  keyBudgets: KeyBudgets | undefined = {},
): ProfileBudgets {
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(Object.keys(keyBudgets).length === 0 ? {} : { keyBudgets }),
  }
}

/** The budget after a change; undefined if the change ends it. */
export function applyBudgetChange(
  before: Budget | undefined,
  change: BudgetChange,
): Budget | undefined {
  if (change === 'none') return undefined
  const { limit, nowMs } = change
  if (before !== undefined) {
    const { toldMonth: _of, ...kept } = before
    return { ...kept, limit }
  }
  return { limit, sinceMs: nowMs, month: toMonth(nowMs), spent: 0 }
}

function findReached(
  whose: ReachedBudget['whose'],
  keyHash: string | undefined,
  budget: Budget | undefined,
  amount: MicroCredits,
): ReachedBudget | undefined {
  return budget !== undefined && exceeds(budget, amount) ? { whose, keyHash, budget } : undefined
}

/** A call that spends exactly the rest of the limit fits. */
function exceeds({ limit, spent }: Budget, amount: MicroCredits): boolean {
  return spent + amount > limit
}

export type KeyBudgetChange = {
  readonly keyHash: string
  readonly change: BudgetChange
  /** The user's keys, listed after `before` was read. Budgets of other keys are dropped. */
  readonly keys: readonly string[]
}

/** The budgets after a change, or `full` if the key would be one too many. */
export function applyKeyBudgetChange(
  before: KeyBudgets,
  { change, keyHash, keys }: KeyBudgetChange,
): KeyBudgets | 'full' {
  const others = Object.entries(before).filter(([hash]) => hash !== keyHash && keys.includes(hash))
  const current = Object.hasOwn(before, keyHash) ? before[keyHash] : undefined
  const budget = applyBudgetChange(current, change)
  if (budget === undefined) return Object.fromEntries(others)
  if (current === undefined && others.length >= KEY_BUDGETS_MAX) return 'full'
  return Object.fromEntries([...others, [keyHash, budget]])
}
