/**
 * Rows of one type by partition and sort key, in a process's memory. Everything is synchronous, so
 * whatever a caller reads and writes without an `await` between is atomic. Rows are immutable by
 * convention: a change puts a new row. Refuses to judge rows: callers compare expiry attributes.
 */

export type Table<T> = {
  get(partition: string, sort: string): T | undefined
  /** Rows of a partition by sort key. */
  list(partition: string, page?: Page): readonly T[]
  /** Rows of all partitions, in no order. */
  all(): readonly T[]
  put(partition: string, sort: string, row: T): void
  remove(partition: string, sort: string): void
  /** A change to be made together with others by `database.commit`. */
  putting(partition: string, sort: string, row: T): Change
  removing(partition: string, sort: string): Change
  /** Removes all expired rows. */
  sweep(nowMs: number): void
  /** Looks at the next few rows and removes expired ones: called with each write, it keeps up. */
  sweepSome(nowMs: number): void
}

/** Which rows of a partition: all by default. */
export type Page = {
  /** Only those with a greater sort key. */
  readonly after?: string | undefined
  /** Only those with a smaller sort key. */
  readonly before?: string | undefined
  /** Greatest sort key first; `limit` counts from there. */
  readonly backwards?: boolean
  readonly limit?: number
}

/** One changed row. */
export type Change = {
  apply(): void
}

/** `sorted` is made on the first list after a key came or went. */
type Partition<T> = { readonly rows: Map<string, T>; sorted: readonly string[] | undefined }

/** Twice what one write can add, so that expired rows never outgrow the live ones. */
const SWEPT_PER_WRITE = 2

/** Without `expiresAtMs` no row expires. */
export function openTable<T>(expiresAtMs?: (row: T) => number): Table<T> {
  const partitions = new Map<string, Partition<T>>()
  let walk = allRows(partitions)

  const store = (partition: string, sort: string, row: T) =>
    storeRow(partitions, partition, sort, row)
  const erase = (partition: string, sort: string) => eraseRow(partitions, partition, sort)
  const putting = (partition: string, sort: string, row: T): Change => ({
    apply: () => store(partition, sort, row),
  })
  const removing = (partition: string, sort: string): Change => ({
    apply: () => erase(partition, sort),
  })
  return {
    get: (partition, sort) => partitions.get(partition)?.rows.get(sort),
    list: (partition, page = {}) => listRows(partitions.get(partition), page),
    all: () => [...allRows(partitions)].map(([, , row]) => row),
    put: store,
    remove: erase,
    putting,
    removing,
    sweep: (nowMs) => {
      if (expiresAtMs === undefined) return
      for (const [partition, sort, row] of allRows(partitions)) {
        if (expiresAtMs(row) <= nowMs) erase(partition, sort)
      }
    },
    sweepSome: (nowMs) => {
      for (let swept = 0; swept < SWEPT_PER_WRITE && expiresAtMs !== undefined; swept += 1) {
        const next = walk.next()
        if (next.done === true) {
          walk = allRows(partitions)
          return
        }
        const [partition, sort, row] = next.value
        if (expiresAtMs(row) <= nowMs) erase(partition, sort)
      }
    },
  }
}

/** Every row once. Rows may come and go between two steps: a Map's own iterator allows it. */
function* allRows<T>(partitions: Map<string, Partition<T>>): Generator<[string, string, T]> {
  for (const [partition, { rows }] of partitions) {
    for (const [sort, row] of rows) yield [partition, sort, row]
  }
}

function storeRow<T>(
  partitions: Map<string, Partition<T>>,
  partition: string,
  sort: string,
  row: T,
): void {
  let found = partitions.get(partition)
  if (found === undefined) {
    found = { rows: new Map(), sorted: undefined }
    partitions.set(partition, found)
  }
  const before = found.rows.size
  found.rows.set(sort, row)
  if (found.rows.size !== before) found.sorted = undefined
}

function eraseRow<T>(partitions: Map<string, Partition<T>>, partition: string, sort: string): void {
  const found = partitions.get(partition)
  if (found === undefined || !found.rows.delete(sort)) return
  found.sorted = undefined
  if (found.rows.size === 0) partitions.delete(partition)
}

function listRows<T>(partition: Partition<T> | undefined, page: Page): readonly T[] {
  if (partition === undefined) return []
  partition.sorted ??= [...partition.rows.keys()].sort()
  return pageOf(partition.sorted, page).flatMap((sort) => {
    const row = partition.rows.get(sort)
    return row === undefined ? [] : [row]
  })
}

function pageOf(keys: readonly string[], page: Page): readonly string[] {
  const { after, before, backwards = false, limit = keys.length } = page
  const from = after === undefined ? 0 : firstBeyond(keys, after)
  const to = before === undefined ? keys.length : firstFrom(keys, before)
  if (!backwards) return keys.slice(from, Math.min(to, from + limit))
  return keys.slice(Math.max(from, to - limit), Math.max(from, to)).reverse()
}

/** Index of the first key greater than `after`. */
function firstBeyond(keys: readonly string[], after: string): number {
  return countWhile(keys, (key) => key <= after)
}

/** Index of the first key that is `before` or greater. */
function firstFrom(keys: readonly string[], before: string): number {
  return countWhile(keys, (key) => key < before)
}

/** How many keys pass the test, by halving: those that do come before those that do not. */
function countWhile(keys: readonly string[], test: (key: string) => boolean): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (test(keys[middle] ?? '')) low = middle + 1
    else high = middle
  }
  return low
}
