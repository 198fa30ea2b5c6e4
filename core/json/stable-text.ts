/** JSON text that is equal for equal values, so that hashes of it compare values. */
import { isJsonObject, type Json } from './json.ts'

/** JSON with sorted members, because a client may write the same arguments in another order. */
export function stableText(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
