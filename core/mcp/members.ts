/** Drops undefined members. Optional members are absent, because clients refuse null. */
import type { Json, JsonObject } from '../json/json.ts'

export function withoutUndefined(of: { readonly [name: string]: Json | undefined }): JsonObject {
  const present: { [name: string]: Json } = {}
  // Object.entries would allocate an array for each member, and every answer runs this.
  for (const name in of) {
    const value = of[name]
    if (value !== undefined) present[name] = value
  }
  return present
}
