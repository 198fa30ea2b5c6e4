/** Monthly budgets as maps of the profile, and the budgets that a hold or an outcome was counted in. */
import type { Budget, Counted, Profile } from '../../../core/ledger/ledger.ts'
import { storedCredits } from '../client/credits-codec.ts'
import {
  creditsAt,
  type Item,
  intAt,
  mapAt,
  optionalIntAt,
  optionalTextAt,
  textAt,
} from '../client/item.ts'

type Budgets = Pick<Profile, 'budget' | 'keyBudgets'>

export function budgetItem({ limit, month, sinceMs, spent }: Budget): Item {
  return { limit: storedCredits(limit), sinceMs, month, spent: storedCredits(spent) }
}

/** The members of the profile's item. */
export function budgetsItem({ budget, keyBudgets }: Budgets): Item {
  return {
    ...(budget === undefined ? {} : { budget: budgetItem(budget) }),
    ...(keyBudgets === undefined
      ? {}
      : {
          keyBudgets: Object.fromEntries(
            Object.entries(keyBudgets).map(([keyHash, one]) => [keyHash, budgetItem(one)]),
          ),
        }),
  }
}

/** An empty map of keys stays in the item, and counts as absent. */
export function budgetsFrom(item: Item): Budgets {
  const keys = item['keyBudgets'] === undefined ? {} : mapAt(item, 'keyBudgets')
  const entries = Object.keys(keys).map(
    (keyHash) => [keyHash, budgetFrom(mapAt(keys, keyHash))] as const,
  )
  return {
    ...(item['budget'] === undefined ? {} : { budget: budgetFrom(mapAt(item, 'budget')) }),
    ...(entries.length === 0 ? {} : { keyBudgets: Object.fromEntries(entries) }),
  }
}

/** The attribute as the member `counted`; no member where it is absent. */
export function countedItem(counted: Counted | undefined): Item {
  return counted === undefined ? {} : { counted: { ...counted } }
}

export function countedFrom(item: Item): { readonly counted?: Counted } {
  if (item['counted'] === undefined) return {}
  const counted = mapAt(item, 'counted')
  const [userSinceMs, keySinceMs] = [
    optionalIntAt(counted, 'userSinceMs'),
    optionalIntAt(counted, 'keySinceMs'),
  ]
  const keyHash = optionalTextAt(counted, 'keyHash')
  return {
    counted: {
      month: textAt(counted, 'month'),
      ...(userSinceMs === undefined ? {} : { userSinceMs }),
      ...(keyHash === undefined ? {} : { keyHash }),
      ...(keySinceMs === undefined ? {} : { keySinceMs }),
    },
  }
}

function budgetFrom(item: Item): Budget {
  return {
    limit: creditsAt(item, 'limit'),
    sinceMs: intAt(item, 'sinceMs'),
    month: textAt(item, 'month'),
    spent: creditsAt(item, 'spent'),
  }
}
