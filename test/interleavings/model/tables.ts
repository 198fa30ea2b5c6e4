/** Items with their earlier versions, so that an eventually consistent read can answer an older one. */
import { compareTexts } from '../../../adapters/dynamodb/items/compile-condition.ts'
import {
  type Consistency,
  type ItemTables,
  type Range,
  type StoredItem,
  toStored,
} from '../../../adapters/dynamodb/items/item-tables.ts'
import { toCanonicalMap, type ValueMap } from '../../../adapters/dynamodb/items/value.ts'
import type { Key } from '../../../adapters/dynamodb/table.ts'

/** Which of an item's last versions a read answers: 0 is the newest of `count`. */
export type Staleness = (count: number) => number
const NEWEST: Staleness = () => 0

type Version = { readonly stored: StoredItem | undefined; readonly atMs: number }
type Partition = Map<string, Version[]>

export type Tables = {
  get(table: string, key: Key): ValueMap | undefined
  /** `undefined` removes the item. */
  put(table: string, key: Key, item: object | undefined): void
  /** In the order of their sort keys. */
  partition(table: string, pk: string): readonly ValueMap[]
  /** In the order of their keys. */
  all(table: string): readonly ValueMap[]
  /** As the engine reads and writes them, with this staleness of eventually consistent reads. */
  reading(staleness: Staleness): ItemTables
}

/** `staleMs`: no read answers a version that was replaced longer ago. */
export function openTables(nowMs: () => number, staleMs: number): Tables {
  const tables = new Map<string, Map<string, Partition>>()
  // A scan in steps asks for the same items again and again.
  const scanned = new Map<string, readonly StoredItem[]>()
  const partitionOf = (table: string, pk: string): Partition => {
    const partitions = entry(tables, table, () => new Map<string, Partition>())
    return entry(partitions, pk, () => new Map())
  }
  const chosen = (versions: readonly Version[], staleness: Staleness) => {
    if (staleness === NEWEST) return versions.at(-1)?.stored
    const sinceMs = nowMs() - staleMs
    // A version counts until it is replaced; before the first there was no item.
    const replaced = versions.filter(({ atMs }) => atMs >= sinceMs).length
    const back = staleness(replaced + 1)
    return versions.at(-1 - back)?.stored
  }
  const get = (table: string, { pk, sk }: Key, staleness: Staleness) => {
    const versions = partitionOf(table, pk).get(sk)
    return versions === undefined ? undefined : chosen(versions, staleness)
  }
  const put = (table: string, { pk, sk }: Key, stored: StoredItem | undefined) => {
    const versions = entry(partitionOf(table, pk), sk, () => [])
    versions.push({ stored, atMs: nowMs() })
    scanned.delete(table)
  }
  const partition = (table: string, pk: string, staleness: Staleness) =>
    [...partitionOf(table, pk)]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([, versions]) => chosen(versions, staleness))
      .filter((stored) => stored !== undefined)
  const all = (table: string) =>
    entry(scanned, table, () =>
      [...(tables.get(table)?.keys() ?? [])]
        .sort(compareTexts)
        .flatMap((pk) => partition(table, pk, NEWEST)),
    )
  return {
    get: (table, key) => get(table, key, NEWEST)?.item,
    put: (table, key, item) =>
      put(table, key, item === undefined ? undefined : toStored(toCanonicalMap(item))),
    partition: (table, pk) => partition(table, pk, NEWEST).map(({ item }) => item),
    all: (table) => all(table).map(({ item }) => item),
    reading: (stale) => {
      const stalenessOf = (read: Consistency) => (read === 'consistent' ? NEWEST : stale)
      return {
        get: (table, key, read) => get(table, key, stalenessOf(read)),
        put,
        range: (table, range, read) => ranged(partition(table, range.pk, stalenessOf(read)), range),
        scan: (table, after) => all(table).filter(({ item }) => isBehind(item, after)),
      }
    },
  }
}

function ranged(sorted: readonly StoredItem[], range: Range): readonly StoredItem[] {
  const { after, backwards, from = '', to } = range
  const found = sorted.filter(({ item }) => {
    const sk = String(item['sk'])
    if (compareTexts(sk, from) < 0 || (to !== undefined && compareTexts(sk, to) > 0)) return false
    if (after === undefined) return true
    return backwards ? compareTexts(sk, after) < 0 : compareTexts(sk, after) > 0
  })
  return backwards ? found.toReversed() : found
}

function isBehind(item: ValueMap, after: Key | undefined): boolean {
  if (after === undefined) return true
  const order = compareTexts(String(item['pk']), after.pk)
  return order > 0 || (order === 0 && compareTexts(String(item['sk']), after.sk) > 0)
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
