/**
 * Budgets in the conditional writes of the ledger: what a hold adds, and what a refund gives back.
 * A condition of DynamoDB cannot compute. So each write is made for the budgets as last read, and
 * asserts them. If the stored budgets differ, the write is refused and made again for those.
 *
 * seen: November, limit 10     asserts November, limit 10, spent ≤ 10 − price     spent + price
 * seen: October                asserts October, limit 10                          November, spent =
 * price seen: none                   asserts none
 *
 * DynamoDB itself compares and adds `spent`, so parallel calls need no second try. A write is made
 * twice only during the first call of a month or during a change of the budget.
 */
import {
  type BudgetedCall,
  chooseCountedMonth,
  countCall,
  findKeyBudget,
  isCountedIn,
} from '../../../core/ledger/budget.ts'
import type { Budget, Counted, MicroCredits, Profile } from '../../../core/ledger/ledger.ts'
import { toStoredBalance, toStoredCredits } from '../client/credits-codec.ts'
import type { Item } from '../client/item.ts'
import { toCountedMember } from '../records/budget-item.ts'

type Budgets = Pick<Profile, 'budget' | 'keyBudgets'>

/** Parts of one update; the caller joins the texts of `set` and `if`. */
export type Clauses = {
  readonly set: readonly string[]
  readonly if: readonly string[]
  readonly names: { readonly [name: string]: string }
  readonly values: { readonly [name: string]: unknown }
}

/** The path of a budget in the item, and the prefix of its values in the expression. */
const USER = { path: '#budget', prefix: 'user' } as const
const KEY = { path: '#keyBudgets.#keyHash', prefix: 'key' } as const
type BudgetPath = typeof USER | typeof KEY

const NOTHING: Clauses = { set: [], if: [], names: {}, values: {} }

/**
 * The clauses that add a call to its budgets; none for a free call. `counted` are members for the
 * hold's item.
 */
export function makeCountClauses(
  lastRead: Budgets,
  call: BudgetedCall,
): Clauses & { readonly counted: Item } {
  const key = findKeyBudget(lastRead, call.keyHash)
  const month = chooseCountedMonth(call.heldAtMs, [lastRead.budget, key])
  const { amount, keyHash } = call
  if (amount === 0) return { ...NOTHING, counted: {} }
  const all = [
    countInBudget(USER, lastRead.budget, { month, amount }),
    ...(keyHash === undefined
      ? []
      : [countInBudget(KEY, key, { month, amount }), { ...NOTHING, names: { keyHash } }]),
  ]
  return { ...joinClauses(all), counted: toCountedMember(countCall(lastRead, call).counted) }
}

function countInBudget(
  { path, prefix }: BudgetPath,
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
      [`${prefix}Limit`]: toStoredCredits(lastRead.limit),
      ...(isRolled ? { month } : { [`${prefix}Room`]: toStoredBalance(lastRead.limit - amount) }),
    },
  }
}

/**
 * The clauses that take a call out of its budgets. `lastRead`: the profile that refused the last
 * write; undefined: the clauses assume the budgets that counted the call, in the same month.
 * `amount` is the expression that is subtracted.
 */
export function makeRefundClauses(
  lastRead: Budgets | undefined,
  counted: Counted | undefined,
  amount: string,
): Clauses {
  if (counted === undefined) return NOTHING
  const { keyHash, month } = counted
  const key = lastRead === undefined ? undefined : findKeyBudget(lastRead, keyHash)
  const user = { sinceMs: counted.userSinceMs, month }
  const ofKey = { sinceMs: counted.keySinceMs, month }
  return joinClauses([
    giveBackTo(USER, user, {
      amount,
      isCurrent: lastRead === undefined || isCountedBy(lastRead.budget, user),
    }),
    ...(keyHash === undefined
      ? []
      : [
          giveBackTo(KEY, ofKey, {
            amount,
            isCurrent: lastRead === undefined || isCountedBy(key, ofKey),
          }),
          { ...NOTHING, names: { keyHash } },
        ]),
  ])
}

type CountedBudget = { readonly sinceMs: number | undefined; readonly month: string }

function isCountedBy(budget: Budget | undefined, { month, sinceMs }: CountedBudget): boolean {
  return budget !== undefined && isCountedIn(budget, sinceMs, month)
}

function giveBackTo(
  { path, prefix }: BudgetPath,
  { month, sinceMs }: CountedBudget,
  { amount, isCurrent }: { readonly amount: string; readonly isCurrent: boolean },
): Clauses {
  if (sinceMs === undefined) return NOTHING
  const values = { [`${prefix}SinceMs`]: sinceMs, [`${prefix}Month`]: month }
  if (isCurrent) {
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

function joinClauses(all: readonly Clauses[]): Clauses {
  return {
    set: all.flatMap(({ set }) => set),
    if: all.flatMap((one) => one.if),
    names: Object.assign({}, ...all.map(({ names }) => names)),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  }
}
