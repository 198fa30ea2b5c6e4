/** Items with their earlier versions, so that an eventually consistent read can answer an older one. */
import { compareTexts } from './evaluate.ts'
import { textIn, type WireItem } from './wire.ts'

export type Key = { readonly pk: string; readonly sk: string }

/** Which of an item's last versions a read answers: 0 is the newest of `count`. */
export type Staleness = (count: number) => number
export const NEWEST: Staleness = () => 0

type Version = { readonly item: WireItem | undefined; readonly atMs: number }
type Partition = Map<string, Version[]>

export type Tables = {
  get(table: string, key: Key, staleness: Staleness): WireItem | undefined
  /** `undefined` removes the item. */
  put(table: string, key: Key, item: WireItem | undefined): void
  /** In the order of their sort keys. */
  partition(table: string, pk: string, staleness: Staleness): readonly WireItem[]
  /** In the order of their keys. */
  all(table: string): readonly WireItem[]
}

/** `staleMs`: no read answers a version that was replaced longer ago. */
export function openTables(nowMs: () => number, staleMs: number): Tables {
  const tables = new Map<string, Map<string, Partition>>()
  // A scan in steps asks for the same items again and again.
  const scanned = new Map<string, readonly WireItem[]>()
  const partitionOf = (table: string, pk: string): Partition => {
    const partitions = entry(tables, table, () => new Map<string, Partition>())
    return entry(partitions, pk, () => new Map())
  }
  const chosen = (versions: readonly Version[], staleness: Staleness) => {
    if (staleness === NEWEST) return versions.at(-1)?.item
    const sinceMs = nowMs() - staleMs
    // A version counts until it is replaced; before the first there was no item.
    const replaced = versions.filter(({ atMs }) => atMs >= sinceMs).length
    const back = staleness(replaced + 1)
    return versions.at(-1 - back)?.item
  }
  const partition: Tables['partition'] = (table, pk, staleness) =>
    [...partitionOf(table, pk)]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([, versions]) => chosen(versions, staleness))
      .filter((item) => item !== undefined)
  return {
    get: (table, { pk, sk }, staleness) => {
      const versions = partitionOf(table, pk).get(sk)
      return versions === undefined ? undefined : chosen(versions, staleness)
    },
    put: (table, { pk, sk }, item) => {
      const versions = entry(partitionOf(table, pk), sk, () => [])
      versions.push({ item, atMs: nowMs() })
      scanned.delete(table)
    },
    partition,
    all: (table) =>
      entry(scanned, table, () =>
        [...(tables.get(table)?.keys() ?? [])]
          .sort(compareTexts)
          .flatMap((pk) => partition(table, pk, NEWEST)),
      ),
  }
}

export function keyOf(item: WireItem): Key {
  return { pk: textIn(item, 'pk'), sk: textIn(item, 'sk') }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
