/**
 * Monthly budgets as maps in the profile's item, and the budgets that counted a hold or outcome.
 */
import type { Budget, Counted, Profile } from '../../../core/ledger/ledger.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
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

export function toBudgetItem({ limit, month, sinceMs, spent, toldMonth }: Budget): Item {
  const told = toldMonth === undefined ? {} : { toldMonth }
  return { limit: toStoredCredits(limit), sinceMs, month, spent: toStoredCredits(spent), ...told }
}

/** The members of the profile's item for its budgets. */
export function toBudgetMembers({ budget, keyBudgets }: Budgets): Item {
  return {
    ...(budget === undefined ? {} : { budget: toBudgetItem(budget) }),
    ...(keyBudgets === undefined
      ? {}
      : {
          keyBudgets: Object.fromEntries(
            Object.entries(keyBudgets).map(([keyHash, one]) => [keyHash, toBudgetItem(one)]),
          ),
        }),
  }
}

/** An empty map of keys stays in the item and is read as absent. */
export function fromBudgetMembers(item: Item): Budgets {
  const keys = item['keyBudgets'] === undefined ? {} : mapAt(item, 'keyBudgets')
  const entries = Object.keys(keys).map(
    (keyHash) => [keyHash, fromBudgetItem(mapAt(keys, keyHash))] as const,
  )
  return {
    ...(item['budget'] === undefined ? {} : { budget: fromBudgetItem(mapAt(item, 'budget')) }),
    ...(entries.length === 0 ? {} : { keyBudgets: Object.fromEntries(entries) }),
  }
}

/** The member `counted` of a hold or outcome; no member if it was not counted. */
export function toCountedMember(counted: Counted | undefined): Item {
  return counted === undefined ? {} : { counted: { ...counted } }
}

export function fromCountedMember(item: Item): { readonly counted?: Counted } {
  if (item['counted'] === undefined) return {}
  const counted = mapAt(item, 'counted')
  const [userSinceMs, keySinceMs, parentSinceMs] = [
    optionalIntAt(counted, 'userSinceMs'),
    optionalIntAt(counted, 'keySinceMs'),
    optionalIntAt(counted, 'parentSinceMs'),
  ]
  const keyHash = optionalTextAt(counted, 'keyHash')
  const parentHash = optionalTextAt(counted, 'parentHash')
  return {
    counted: {
      month: textAt(counted, 'month'),
      ...(userSinceMs === undefined ? {} : { userSinceMs }),
      ...(keyHash === undefined ? {} : { keyHash }),
      ...(keySinceMs === undefined ? {} : { keySinceMs }),
      ...(parentHash === undefined ? {} : { parentHash }),
      ...(parentSinceMs === undefined ? {} : { parentSinceMs }),
    },
  }
}

function fromBudgetItem(item: Item): Budget {
  const toldMonth = optionalTextAt(item, 'toldMonth')
  return {
    limit: creditsAt(item, 'limit'),
    sinceMs: intAt(item, 'sinceMs'),
    month: textAt(item, 'month'),
    spent: creditsAt(item, 'spent'),
    ...(toldMonth === undefined ? {} : { toldMonth }),
  }
}
