/**
 * Sets and ends the monthly budgets of a user and of single keys, in profile:{uid}. What calls have
 * spent in them is not changed.
 */
import {
  applyBudgetChange,
  applyKeyBudgetChange,
  toProfileBudgets,
} from '../../../core/ledger/budget.ts'
import type { Budget, KeyBudgets, Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { toBudgetItem } from '../records/budget-item.ts'
import { type BudgetWrite, makeBudgetWrite, withBudgets, writeBudgets } from './budget-writes.ts'

type Request = Parameters<Profiles['changeBudget']>[0]

export function changeBudget(
  store: DynamoStore,
  { change, uid }: Request,
): Promise<Profile | undefined> {
  return writeBudgets<never>(store, uid, (before) => {
    const budget = applyBudgetChange(before.budget, change)
    const after = withBudgets(before, toProfileBudgets(budget, before.keyBudgets))
    return { ...makeUserWrite(budget, before.budget !== undefined), after }
  })
}

function makeUserWrite(
  budget: Budget | undefined,
  isExisting: boolean,
): Omit<BudgetWrite, 'after'> {
  if (budget !== undefined) return makeBudgetWrite('#budget', budget, isExisting)
  return { set: [], remove: ['#budget'], if: 'attribute_exists(#pk)' }
}

type KeyRequest = Parameters<Profiles['changeKeyBudget']>[0]

/**
 * Also removes budgets of revoked keys. The profile is read before the list of keys:
 *
 *   the profile is read, budgets of A and B ─▶ the keys are listed, only A ─▶ B was revoked
 *   key C is put ─▶ its budget is set: the profile was read before it, so the write is refused
 *   and made again, with a new list, which has C
 *
 * A key is put before its budget. So a budget in the profile whose key the later list lacks belongs
 * to a revoked key. A list from before the read could lack a key whose budget is in the profile.
 */
export function changeKeyBudget(
  store: DynamoStore,
  request: KeyRequest,
): Promise<Profile | 'full' | undefined> {
  return writeBudgets<'full'>(store, request.uid, async (before, item) => {
    const hasOthers = Object.keys(before.keyBudgets ?? {}).some((hash) => hash !== request.keyHash)
    const keys = hasOthers ? await request.listKeys() : []
    const budgets = applyKeyBudgetChange(before.keyBudgets ?? {}, { ...request, keys })
    if (budgets === 'full') return budgets
    const write =
      item['keyBudgets'] === undefined
        ? firstWrite(budgets)
        : nextWrite(before.keyBudgets ?? {}, budgets, request.keyHash)
    return (
      write && { ...write, after: withBudgets(before, toProfileBudgets(before.budget, budgets)) }
    )
  })
}

type Write = Omit<BudgetWrite, 'after'>

/**
 * The first budgets of keys, with the map that holds them. Undefined if there is nothing to write.
 */
function firstWrite(budgets: KeyBudgets): Write | undefined {
  const entries = Object.entries(budgets).map(([hash, budget]) => [hash, toBudgetItem(budget)])
  if (entries.length === 0) return undefined
  return {
    set: ['#keyBudgets = :map'],
    remove: [],
    if: 'attribute_exists(#pk) AND attribute_not_exists(#keyBudgets)',
    values: { map: Object.fromEntries(entries) },
  }
}

/** Undefined if there is nothing to write. */
function nextWrite(before: KeyBudgets, after: KeyBudgets, keyHash: string): Write | undefined {
  const removed = Object.keys(before).filter((hash) => !Object.hasOwn(after, hash))
  const budget = after[keyHash]
  if (budget === undefined && removed.length === 0) return undefined
  const isExisting = Object.hasOwn(before, keyHash)
  const write =
    budget === undefined ? END_WRITE : makeBudgetWrite('#keyBudgets.#keyHash', budget, isExisting)
  return {
    ...write,
    remove: [...removed.map((_, index) => `#keyBudgets.#gone${index}`), ...write.remove],
    names: { keyHash, ...Object.fromEntries(removed.map((hash, index) => [`gone${index}`, hash])) },
  }
}

const END_WRITE: Write = { set: [], remove: [], if: 'attribute_exists(#keyBudgets)' }
