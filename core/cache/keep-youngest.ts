/**
 * Puts an entry into a map as its youngest; past `entriesMax` the oldest goes. A Map keeps the order of
 * insertion, so an entry that is put again is the last to go. In a map that is less than half full it keeps
 * its place instead: nothing goes soon, and a Map makes a new table each time so many entries have moved.
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
