/**
 * Sets and ends the limits of single keys in profile:{uid}: monthly budgets and calls per day. What
 * calls have counted in them is not changed. Also removes limits of revoked keys. The profile is
 * read before the list of keys:
 *
 *   the profile is read, limits of A and B ─▶ the keys are listed, only A ─▶ B was revoked
 *   key C is put ─▶ its limit is set: the profile was read before it, so the write is refused
 *   and made again, with a new list, which has C
 *
 * A key is put before its limits. So a limit in the profile whose key the later list lacks belongs
 * to a revoked key. A list from before the read could lack a key whose limit is in the profile.
 *
 * The end of a limit that does not exist is a write too: it counts as a change, so that a late copy
 * of an earlier change, whose answer was lost, is refused.
 */
import { applyKeyBudgetChange, toProfileBudgets } from '../../../core/ledger/budget.ts'
import { applyKeyDayChange } from '../../../core/ledger/key-days.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { FullLimits, Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, mapAt } from '../client/item.ts'
import { toBudgetItem } from '../records/budget-item.ts'
import { type BudgetWrite, withBudgets, writeBudgets } from './budget-writes.ts'

type Request = Parameters<Profiles['changeKeyLimits']>[0]

export function changeKeyLimits(
  store: DynamoStore,
  request: Request,
): Promise<Profile | FullLimits | undefined> {
  return writeBudgets<FullLimits>(store, request.uid, async (before, item) => {
    const keys = hasOtherKeys(before, request) ? await request.listKeys() : []
    return decideLimits(before, item, { ...request, keys })
  })
}

type Change = Pick<Request, 'change' | 'keyHash'> & {
  /** The user's keys, listed after the profile was read. */
  readonly keys: readonly string[]
}

/** The write of a change, or which of the limits has no room for one more key. */
export function decideLimits(
  before: Profile,
  item: Item,
  change: Change,
): BudgetWrite | FullLimits {
  const after = applyChange(before, change)
  if (typeof after === 'string') return after
  const parts = listNewEntries(change, after)
    .map((entries) => toPart(item, entries))
    .filter((part) => part !== undefined)
  return joinParts(parts, after)
}

function hasOtherKeys({ keyBudgets, keyDays }: Profile, { keyHash }: Request): boolean {
  return Object.keys({ ...keyBudgets, ...keyDays }).some((hash) => hash !== keyHash)
}

/** The profile after the change, or which of its limits has no room for one more key. */
function applyChange(before: Profile, of: Change): Profile | FullLimits {
  const { change, keyHash, keys } = of
  const { keyBudgets = {}, keyDays = {} } = before
  const budgets =
    change.budget === undefined
      ? keyBudgets
      : applyKeyBudgetChange(keyBudgets, { keyHash, change: change.budget, keys })
  if (budgets === 'full') return 'budgets_full'
  const days =
    change.day === undefined
      ? keyDays
      : applyKeyDayChange(keyDays, { keyHash, change: change.day, keys })
  if (days === 'full') return 'days_full'
  const { keyDays: _, ...rest } = withBudgets(before, toProfileBudgets(before.budget, budgets))
  return Object.keys(days).length === 0 ? rest : { ...rest, keyDays: days }
}

/** The entries of one map of limits after the change, and the member that ends with a new limit. */
type NewEntries = {
  readonly map: 'keyBudgets' | 'keyDays'
  readonly keyHash: string
  readonly entries: Item
  readonly told: 'toldDay' | 'toldMonth'
}

/** The maps that the request changes. */
function listNewEntries({ change, keyHash }: Change, after: Profile): readonly NewEntries[] {
  const { budget, day } = change
  const budgets: NewEntries = {
    map: 'keyBudgets',
    keyHash,
    entries: toBudgetItems(after),
    told: 'toldMonth',
  }
  const days: NewEntries = {
    map: 'keyDays',
    keyHash,
    entries: { ...after.keyDays },
    told: 'toldDay',
  }
  return [...(budget === undefined ? [] : [budgets]), ...(day === undefined ? [] : [days])]
}

function toBudgetItems({ keyBudgets = {} }: Profile): Item {
  const entries = Object.entries(keyBudgets).map(([hash, budget]) => [hash, toBudgetItem(budget)])
  return Object.fromEntries(entries)
}

type Part = {
  readonly set: readonly string[]
  readonly remove: readonly string[]
  readonly if: string
  readonly names: { readonly [name: string]: string }
  readonly values: Item
}

/**
 * The write of one map. An update cannot write into a map that does not exist, so the first entries
 * come with their map. Undefined if there is nothing to write.
 */
function toPart(item: Item, of: NewEntries): Part | undefined {
  const { entries, keyHash, map } = of
  if (item[map] === undefined) {
    if (Object.keys(entries).length === 0) return undefined
    const [set, values] = [[`#${map} = :${map}`], { [map]: entries }]
    return { set, remove: [], if: `attribute_not_exists(#${map})`, names: {}, values }
  }
  const before = mapAt(item, map)
  const removed = Object.keys(before).filter((hash) => !Object.hasOwn(entries, hash))
  const names = removed.map((hash, index) => [`${map}Gone${index}`, hash] as const)
  const part = toEntryPart(before, of)
  if (part === undefined && removed.length === 0) return undefined
  return {
    ...(part ?? { set: [], if: `attribute_exists(#${map})`, values: {} }),
    remove: [...names.map(([name]) => `#${map}.#${name}`), ...(part?.remove ?? [])],
    names: { keyHash, ...Object.fromEntries(names) },
  }
}

/**
 * The write of the key's own entry; undefined if the key has no entry. An
 * existing entry gets only its new limit, so that calls made meanwhile stay counted; its event may
 * then be sent once more.
 */
function toEntryPart(
  before: Item,
  { entries, keyHash, map, told }: NewEntries,
): Omit<Part, 'names'> | undefined {
  if (!Object.hasOwn(entries, keyHash)) return undefined
  const [path, entry] = [`#${map}.#keyHash`, mapAt(entries, keyHash)]
  if (!Object.hasOwn(before, keyHash)) {
    const isNew = `attribute_exists(#${map}) AND attribute_not_exists(${path})`
    return { set: [`${path} = :${map}`], remove: [], if: isNew, values: { [map]: entry } }
  }
  return {
    set: [`${path}.#limit = :${map}Limit`],
    remove: [`${path}.#${told}`],
    if: `attribute_exists(${path})`,
    values: { [`${map}Limit`]: entry['limit'] },
  }
}

function joinParts(parts: readonly Part[], after: Profile): BudgetWrite {
  return {
    set: parts.flatMap(({ set }) => set),
    remove: parts.flatMap(({ remove }) => remove),
    if: ['attribute_exists(#pk)', ...parts.map((part) => part.if)].join(' AND '),
    names: Object.assign({}, ...parts.map(({ names }) => names)),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
    after,
  }
}
