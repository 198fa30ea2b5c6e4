/**
 * Puts an entry into a map as its youngest, and removes the oldest entry beyond `entriesMax`. A Map
 * keeps the order of insertion, so a repeated entry is deleted first and moves to the end. In a map
 * less than half full, the entry keeps its position: no entry is removed soon, and moving entries
 * makes a Map rebuild its table.
 */
export function keepYoungest<K, V>(entries: Map<K, V>, key: K, value: V, entriesMax: number): void {
  if (entries.size * 2 >= entriesMax) entries.delete(key)
  entries.set(key, value)
  if (entries.size <= entriesMax) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
