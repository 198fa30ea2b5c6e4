/** Freezes a configuration deeply, in place. A URL is not frozen. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof URL) return value
  for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}
