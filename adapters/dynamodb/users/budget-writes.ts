/**
 * Sets and ends budgets of a profile, and other limits of its keys. Each change requires the
 * `budgetChanges` that it read, and increases it.
 *
 *   A: reads changes 4 ── limit 50 ✔ (5) ─────────────── B: reads 5 ── limit 10 ✔ (6)
 *   a late copy of A: recognised by its token; after ten minutes refused, since the number is not 4
 *
 * A late copy could meet a condition on the budget alone, and would restore an older limit: calls
 * would spend more than the administrator allowed. A copy of a refused change requires an old
 * number. The write is a transaction of one item, so a change that is repeated after a lost answer
 * is not refused. What calls add meanwhile is not changed. Dying before the write: nothing has
 * changed. Dying after: the change is complete. Profiles are never removed, so the number never
 * starts again.
 */
import { Fault } from '../../../core/errors.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { ExpressionValues } from '../client/expression.ts'
import { type Item, intAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'

export const CHANGE_BUDGET_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem', 'UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/** Each failed try means another change of the user's budgets; 20 keys may be changed at once. */
export const BUDGET_TRIES_MAX = 21

export type BudgetWrite = {
  readonly set: readonly string[]
  readonly remove: readonly string[]
  /** The condition that the budget exists, or not, as it was read. */
  readonly if: string
  readonly names?: { readonly [name: string]: string }
  readonly values?: ExpressionValues
  /** The profile that was read, with the change. */
  readonly after: Profile
}

type Judged<T extends string> = BudgetWrite | T

/**
 * `judge` returns the write for the profile that was read, or an answer without a write. Resolves
 * to undefined if there is no profile.
 */
export async function writeBudgets<T extends string>(
  store: DynamoStore,
  uid: string,
  judge: (before: Profile, item: Item) => Judged<T> | Promise<Judged<T>>,
): Promise<Profile | T | undefined> {
  const table = store.tables.gateway
  let item = await store.get(table, profileKey(uid), 'consistent')
  for (let tries = 1; tries <= BUDGET_TRIES_MAX && item !== undefined; tries += 1) {
    const before = fromProfileItem(item)
    const write = await judge(before, item)
    if (typeof write === 'string') return write
    const answer = await store.transact([toTransactWrite(table, item, write)])
    if (answer.kind === 'written') return write.after
    item = answer.refusals[0]?.old
  }
  if (item === undefined) return undefined
  throw new Fault('store_unavailable', `profile: met other changes ${BUDGET_TRIES_MAX} times`)
}

/** The write of a change for the item as it was read. */
export function toTransactWrite(table: string, item: Item, write: BudgetWrite): TransactWrite {
  const changes = intAt(item, 'budgetChanges')
  const set = [...write.set, '#budgetChanges = :changed']
  const removal = write.remove.length === 0 ? '' : ` REMOVE ${write.remove.join(', ')}`
  return {
    table,
    key: profileKey(write.after.uid),
    update: `SET ${set.join(', ')}${removal}`,
    if: `${write.if} AND #budgetChanges = :changes`,
    names: write.names ?? {},
    values: { ...write.values, changed: changes + 1, changes },
  }
}

/** The profile with these budgets instead of its own. */
export function withBudgets(profile: Profile, budgets: Pick<Profile, 'budget' | 'keyBudgets'>) {
  const { budget: _one, keyBudgets: _others, ...rest } = profile
  return { ...rest, ...budgets }
}
