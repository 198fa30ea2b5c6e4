/**
 * A cache of parsed items that were used recently. It has two generations of bounded size: an item
 * that is used moves to the young one, and a full young generation replaces the old one.
 */
import type { StoredItem } from '../items/item-tables.ts'

/** Bytes of items in a generation, as DynamoDB counts them; in memory about four times as much. */
export const GENERATION_BYTES_MAX = 4 * 1_024 * 1_024

export type HotItems = {
  get(name: string): StoredItem | undefined
  set(name: string, stored: StoredItem): void
  forget(name: string): void
  forgetAll(): void
}

export function hotItems(bytesMax = GENERATION_BYTES_MAX): HotItems {
  let young = new Map<string, StoredItem>()
  let old = new Map<string, StoredItem>()
  let bytes = 0
  const set = (name: string, stored: StoredItem) => {
    bytes += stored.bytes
    if (bytes > bytesMax) {
      old = young
      young = new Map()
      bytes = stored.bytes
    }
    young.set(name, stored)
  }
  return {
    get: (name) => {
      const found = young.get(name)
      if (found !== undefined) return found
      const kept = old.get(name)
      if (kept !== undefined) {
        old.delete(name)
        set(name, kept)
      }
      return kept
    },
    set: (name, stored) => {
      old.delete(name)
      set(name, stored)
    },
    forget: (name) => {
      young.delete(name)
      old.delete(name)
    },
    forgetAll: () => {
      young.clear()
      old.clear()
      bytes = 0
    },
  }
}
