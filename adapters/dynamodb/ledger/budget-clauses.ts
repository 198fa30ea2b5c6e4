/**
 * Budgets in the conditional writes of the ledger: what a hold adds, and what a refund gives back. Conditions
 * of DynamoDB cannot compute. So each write is made for the budgets as last read and asserts them; when
 * others refuse it, it is made again for those.
 *
 *   seen: November, limit 10     asserts November, limit 10, spent ≤ 10 − price     spent + price
 *   seen: October                asserts October, limit 10                          November, spent = price
 *   seen: none                   asserts none
 *
 * `spent` is compared and added by the store itself, so calls at once need no second try; only a write
 * beside the first call of a month, or beside a change of the budget, is made twice.
 */
import {
  type BudgetedCall,
  countCall,
  countedMonth,
  isCountedIn,
  keyBudgetOf,
} from '../../../core/ledger/budget.ts'
import type { Budget, Counted, MicroCredits, Profile } from '../../../core/ledger/ledger.ts'
import { storedBalance, storedCredits } from '../client/credits-codec.ts'
import type { Item } from '../client/item.ts'
import { countedItem } from '../records/budget-item.ts'

type Budgets = Pick<Profile, 'budget' | 'keyBudgets'>

/** Parts of one update; `set` and `if` are joined by the caller. */
export type Clauses = {
  readonly set: readonly string[]
  readonly if: readonly string[]
  readonly names: { readonly [name: string]: string }
  readonly values: { readonly [name: string]: unknown }
}

/** Where a budget is in the item, and the prefix of its values. */
const USER = { path: '#budget', prefix: 'user' } as const
const KEY = { path: '#keyBudgets.#keyHash', prefix: 'key' } as const
type Place = typeof USER | typeof KEY

const NOTHING: Clauses = { set: [], if: [], names: {}, values: {} }

/** `counted` are the members that the hold gets. */
export function countingClauses(
  lastRead: Budgets,
  call: BudgetedCall,
): Clauses & { readonly counted: Item } {
  const key = keyBudgetOf(lastRead, call.keyHash)
  const month = countedMonth(call.heldAtMs, [lastRead.budget, key])
  const { amount, keyHash } = call
  const all = [
    ofBudget(USER, lastRead.budget, { month, amount }),
    ...(keyHash === undefined
      ? []
      : [ofBudget(KEY, key, { month, amount }), { ...NOTHING, names: { keyHash } }]),
  ]
  return { ...joined(all), counted: countedItem(countCall(lastRead, call).counted) }
}

function ofBudget(
  { path, prefix }: Place,
  lastRead: Budget | undefined,
  { amount, month }: { readonly amount: MicroCredits; readonly month: string },
): Clauses {
  if (lastRead === undefined) return { ...NOTHING, if: [`attribute_not_exists(${path})`] }
  const isRolled = lastRead.month !== month
  return {
    ...NOTHING,
    set: isRolled
      ? [`${path}.#month = :month`, `${path}.#spent = :price`]
      : [`${path}.#spent = ${path}.#spent + :price`],
    if: [
      `${path}.#sinceMs = :${prefix}SinceMs`,
      `${path}.#month = :${prefix}Month`,
      `${path}.#limit = :${prefix}Limit`,
      isRolled ? `${path}.#limit >= :price` : `${path}.#spent <= :${prefix}Room`,
    ],
    values: {
      [`${prefix}SinceMs`]: lastRead.sinceMs,
      [`${prefix}Month`]: lastRead.month,
      [`${prefix}Limit`]: storedCredits(lastRead.limit),
      ...(isRolled ? { month } : { [`${prefix}Room`]: storedBalance(lastRead.limit - amount) }),
    },
  }
}

/**
 * `lastRead`: the profile that refused the write before; undefined: assumes the budgets that counted the
 * call, in the same month. `amount` is the operand that is subtracted.
 */
export function refundClauses(
  lastRead: Budgets | undefined,
  counted: Counted | undefined,
  amount: string,
): Clauses {
  if (counted === undefined) return NOTHING
  const { keyHash, month } = counted
  const key = lastRead === undefined ? undefined : keyBudgetOf(lastRead, keyHash)
  const user = { sinceMs: counted.userSinceMs, month }
  const ofKey = { sinceMs: counted.keySinceMs, month }
  return joined([
    backTo(USER, user, {
      amount,
      isStanding: lastRead === undefined || isIn(lastRead.budget, user),
    }),
    ...(keyHash === undefined
      ? []
      : [
          backTo(KEY, ofKey, { amount, isStanding: lastRead === undefined || isIn(key, ofKey) }),
          { ...NOTHING, names: { keyHash } },
        ]),
  ])
}

type CountedBudget = { readonly sinceMs: number | undefined; readonly month: string }

function isIn(budget: Budget | undefined, { month, sinceMs }: CountedBudget): boolean {
  return budget !== undefined && isCountedIn(budget, sinceMs, month)
}

function backTo(
  { path, prefix }: Place,
  { month, sinceMs }: CountedBudget,
  { amount, isStanding }: { readonly amount: string; readonly isStanding: boolean },
): Clauses {
  if (sinceMs === undefined) return NOTHING
  const values = { [`${prefix}SinceMs`]: sinceMs, [`${prefix}Month`]: month }
  if (isStanding) {
    return {
      ...NOTHING,
      set: [`${path}.#spent = ${path}.#spent - ${amount}`],
      if: [`${path}.#sinceMs = :${prefix}SinceMs`, `${path}.#month = :${prefix}Month`],
      values,
    }
  }
  const isOther = [
    `attribute_not_exists(${path})`,
    `${path}.#sinceMs <> :${prefix}SinceMs`,
    `${path}.#month <> :${prefix}Month`,
  ]
  return { ...NOTHING, if: [`(${isOther.join(' OR ')})`], values }
}

function joined(all: readonly Clauses[]): Clauses {
  return {
    set: all.flatMap(({ set }) => set),
    if: all.flatMap((one) => one.if),
    names: Object.assign({}, ...all.map(({ names }) => names)),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  }
}
