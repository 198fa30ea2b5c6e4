/**
 * Budgets in the conditional writes of the ledger: what a hold adds, and what a refund gives back.
 * A condition of DynamoDB cannot compute. So each write is made for the budgets as last read, and
 * asserts them. If the stored budgets differ, the write is refused and made again for those.
 *
 * seen: November, limit 10     asserts November, limit 10, spent ≤ 10 − price     spent + price
 * seen: October                asserts October, limit 10                          November, spent =
 * price seen: none                   asserts none
 *
 * A call of a sub-key is counted in the budget of its parent too, by clauses of the same write: 30
 * calls at once of several sub-keys never pass the parent's limit.
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
const PARENT = { path: '#keyBudgets.#parentHash', prefix: 'parent' } as const
type BudgetPath = typeof USER | typeof KEY | typeof PARENT

const NOTHING: Clauses = { set: [], if: [], names: {}, values: {} }

/**
 * The clauses that add a call to its budgets; none for a free call. `counted` are members for the
 * hold's item.
 */
export function makeCountClauses(
  lastRead: Budgets,
  call: BudgetedCall,
): Clauses & { readonly counted: Item } {
  const { amount, keyHash, parentHash } = call
  if (amount === 0) return { ...NOTHING, counted: {} }
  const key = findKeyBudget(lastRead, keyHash)
  const parent = findKeyBudget(lastRead, parentHash)
  const month = chooseCountedMonth(call.heldAtMs, [lastRead.budget, key, parent])
  const all = [
    countInBudget(USER, lastRead.budget, { month, amount }),
    ...(keyHash === undefined
      ? []
      : [countInBudget(KEY, key, { month, amount }), { ...NOTHING, names: { keyHash } }]),
    ...(parentHash === undefined
      ? []
      : [countInBudget(PARENT, parent, { month, amount }), { ...NOTHING, names: { parentHash } }]),
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
  const { keyHash, month, parentHash } = counted
  const giveBack = (path: BudgetPath, sinceMs: number | undefined, budget: Budget | undefined) => {
    const of = { sinceMs, month }
    const isCurrent = lastRead === undefined || isCountedBy(budget, of)
    return giveBackTo(path, of, { amount, isCurrent })
  }
  const find = (hash: string) =>
    lastRead === undefined ? undefined : findKeyBudget(lastRead, hash)
  return joinClauses([
    giveBack(USER, counted.userSinceMs, lastRead?.budget),
    ...(keyHash === undefined
      ? []
      : [giveBack(KEY, counted.keySinceMs, find(keyHash)), { ...NOTHING, names: { keyHash } }]),
    ...(parentHash === undefined
      ? []
      : [
          giveBack(PARENT, counted.parentSinceMs, find(parentHash)),
          { ...NOTHING, names: { parentHash } },
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

/** One set of clauses with all of these. */
export function joinClauses(all: readonly Clauses[]): Clauses {
  return {
    set: all.flatMap(({ set }) => set),
    if: all.flatMap((one) => one.if),
    names: Object.assign({}, ...all.map(({ names }) => names)),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  }
}
