/** Sets and ends budgets of single keys in profile:{uid}. What calls have spent in them is not touched. */
import { Fault } from '../../../core/errors.ts'
import { changedBudget } from '../../../core/ledger/budget.ts'
import { changedKeyBudgets } from '../../../core/ledger/key-budgets.ts'
import type { Budget, Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { Update } from '../client/update.ts'
import { budgetItem } from '../records/budget-item.ts'
import { profileFrom } from '../records/profile-item.ts'
import { profileKey } from '../table.ts'
import { BUDGET_TRIES_MAX } from './change-budget.ts'

type Request = Parameters<Profiles['changeKeyBudget']>[0]

/**
 * Reads the budgets of all keys, and writes the new one of a single key. The condition names the keys that
 * were read, so that two changes at once cannot overwrite each other; amounts that calls add meanwhile
 * stay.
 */
export async function changeKeyBudget(
  store: DynamoStore,
  request: Request,
): Promise<Profile | 'full' | undefined> {
  const { uid } = request
  let item = await store.get(store.tables.gateway, profileKey(uid), 'consistent')
  for (let tries = 1; tries <= BUDGET_TRIES_MAX && item !== undefined; tries += 1) {
    const write = changing(request, item)
    if (write === 'full') return write
    if (write === undefined) return profileFrom(item)
    const answer = await store.update(store.tables.gateway, write)
    if (answer.kind === 'written') return profileFrom(answer.item)
    item = answer.old
  }
  if (item === undefined) return undefined
  throw new Fault('store_unavailable', `profile: met other changes ${BUDGET_TRIES_MAX} times`)
}

/** Undefined when there is nothing to write. */
function changing(request: Request, item: Item): Update | 'full' | undefined {
  const { change, keyHash, keys, uid } = request
  const before = profileFrom(item).keyBudgets ?? {}
  if (changedKeyBudgets(before, request) === 'full') return 'full'
  const key = profileKey(uid)
  const budget = changedBudget(undefined, change)
  if (item['keyBudgets'] === undefined) {
    if (budget === undefined) return undefined
    const values = { map: { [keyHash]: budgetItem(budget) } }
    const isNew = 'attribute_exists(#pk) AND attribute_not_exists(#keyBudgets)'
    return { key, set: 'SET #keyBudgets = :map', if: isNew, values }
  }
  const hashes = Object.keys(before)
  const removedHashes = hashes.filter((hash) =>
    hash === keyHash ? budget === undefined : !keys.includes(hash),
  )
  if (budget === undefined && removedHashes.length === 0) return undefined
  const setting = settingOf(budget, hashes.includes(keyHash))
  const removals = removedHashes.map((_, index) => `#keyBudgets.#gone${index}`)
  return {
    key,
    set: [
      ...setting.set,
      ...(removedHashes.length === 0 ? [] : [`REMOVE ${removals.join(', ')}`]),
    ].join(' '),
    if: [
      'size(#keyBudgets) = :count',
      ...hashes.map((_, index) => `attribute_exists(#keyBudgets.#read${index})`),
    ].join(' AND '),
    names: { keyHash, ...numbered('gone', removedHashes), ...numbered('read', hashes) },
    values: { count: hashes.length, ...setting.values },
  }
}

/** An existing budget gets only its new limit. */
function settingOf(budget: Budget | undefined, isStanding: boolean) {
  if (budget === undefined) return { set: [], values: {} }
  return isStanding
    ? {
        set: ['SET #keyBudgets.#keyHash.#limit = :limit'],
        values: { limit: storedCredits(budget.limit) },
      }
    : { set: ['SET #keyBudgets.#keyHash = :budget'], values: { budget: budgetItem(budget) } }
}

function numbered(name: string, hashes: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(hashes.map((hash, index) => [`${name}${index}`, hash]))
}
