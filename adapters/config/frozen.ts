/** A configuration that nobody changes by mistake: frozen in depth, in place. A URL stays as it is. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof URL) return value
  for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}
