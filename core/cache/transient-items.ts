/**
 * Items that come and go with each call, found by a name. A Map or Set makes a new table each time so many
 * have come and gone; each old table leads to the next, and the collector for young objects then keeps all
 * of them, with every call that was in one, until the next full collection. Arrays have no such chain.
 */

export type TransientItems<T> = {
  /** Returns the function that removes the item; a second time it does nothing. */
  add(name: string, item: T): () => void
  /** Items of that name, in no order. */
  of(name: string): readonly T[]
  all(): readonly T[]
  size(): number
}

type Entry<T> = { readonly name: string; readonly item: T }

/** A power of two. With 1,000 items a name is looked for among four. */
const BUCKETS = 256

export function transientItems<T>(): TransientItems<T> {
  const buckets: Entry<T>[][] = Array.from({ length: BUCKETS }, () => [])
  let size = 0
  return {
    add: (name, item) => {
      const bucket = bucketOf(buckets, name)
      const entry = { name, item }
      bucket.push(entry)
      size += 1
      return () => {
        if (removeFrom(bucket, entry)) size -= 1
      }
    },
    of: (name) => {
      const found: T[] = []
      for (const entry of bucketOf(buckets, name)) if (entry.name === name) found.push(entry.item)
      return found
    },
    all: () => buckets.flatMap((bucket) => bucket.map(({ item }) => item)),
    size: () => size,
  }
}

/** By its last characters: names of one kind begin alike. */
function bucketOf<T>(buckets: readonly T[][], name: string): T[] {
  const end = name.length - 1
  const number = name.charCodeAt(end) + 31 * name.charCodeAt(end - 1) + 7 * name.charCodeAt(end - 2)
  return buckets[number & (BUCKETS - 1)] ?? []
}

function removeFrom<T>(bucket: T[], entry: T): boolean {
  const at = bucket.indexOf(entry)
  if (at < 0) return false
  const last = bucket.pop()
  if (last !== undefined && last !== entry) bucket[at] = last
  return true
}
