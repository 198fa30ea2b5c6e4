/**
 * Drops undefined members, so that optional ones are absent instead of null, which clients refuse.
 */
import type { Json, JsonObject } from '../json/json.ts'

export function members(of: { readonly [name: string]: Json | undefined }): JsonObject {
  const present: { [name: string]: Json } = {}
  // Not Object.entries: this runs for every answer, and entries allocate an array per member.
  for (const name in of) {
    const value = of[name]
    if (value !== undefined) present[name] = value
  }
  return present
}
