/** Throws `why` unless it is true. */
export function must(isTrue: boolean, why: string): void {
  if (!isTrue) throw new Error(why)
}

/** In one line. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.replace(/\s+/g, ' ').slice(0, 300)
}
