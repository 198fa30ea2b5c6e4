/** Small type guards for parsing answers of a peer. */

export type Fields = { readonly [name: string]: unknown }

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArrayOf<T>(
  value: unknown,
  guard: (one: unknown) => one is T,
): value is readonly T[] {
  return Array.isArray(value) && value.every(guard)
}

/** Undefined if the text is not a JSON object. */
export function parseRecord(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
