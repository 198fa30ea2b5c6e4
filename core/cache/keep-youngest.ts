/**
 * Puts an entry into a map as its youngest; past `entriesMax` the oldest goes. A Map keeps the order of
 * insertion, so an entry that is put again, also with the value it had, is the last to go.
 */
export function keepYoungest<K, V>(entries: Map<K, V>, key: K, value: V, entriesMax: number): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= entriesMax) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
