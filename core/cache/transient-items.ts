/**
 * Items that are added and removed with each call, and looked up by name. A Map or Set rebuilds its
 * table after many such changes. The old tables refer to the new ones, so that the collector of
 * young objects keeps all of them, and every call in them, until the next full collection. Arrays
 * do not have this problem.
 */

export type TransientItems<T> = {
  /** Returns a function that removes the item. Calling it again has no effect. */
  add(name: string, item: T): () => void
  /** Items of that name, in no particular order. */
  of(name: string): readonly T[]
  all(): readonly T[]
  size(): number
}

type Entry<T> = { readonly name: string; readonly item: T }

/** A power of two. With 1,000 items, a bucket has four. */
const BUCKET_COUNT = 256

export function makeTransientItems<T>(): TransientItems<T> {
  const buckets: Entry<T>[][] = Array.from({ length: BUCKET_COUNT }, () => [])
  let size = 0
  return {
    add: (name, item) => {
      const bucket = pickBucket(buckets, name)
      const entry = { name, item }
      bucket.push(entry)
      size += 1
      return () => {
        if (removeFrom(bucket, entry)) size -= 1
      }
    },
    of: (name) => {
      const found: T[] = []
      for (const entry of pickBucket(buckets, name)) if (entry.name === name) found.push(entry.item)
      return found
    },
    all: () => buckets.flatMap((bucket) => bucket.map(({ item }) => item)),
    size: () => size,
  }
}

/** Picks the bucket by the last three characters, because names of one kind start alike. */
function pickBucket<T>(buckets: readonly T[][], name: string): T[] {
  const end = name.length - 1
  const number = name.charCodeAt(end) + 31 * name.charCodeAt(end - 1) + 7 * name.charCodeAt(end - 2)
  return buckets[number & (BUCKET_COUNT - 1)] ?? []
}

function removeFrom<T>(bucket: T[], entry: T): boolean {
  const at = bucket.indexOf(entry)
  if (at < 0) return false
  const last = bucket.pop()
  if (last !== undefined && last !== entry) bucket[at] = last
  return true
}
