/** An object without the members that are undefined: nothing optional is ever null, which clients refuse. */
import type { Json, JsonObject } from '../json/json.ts'

export function members(of: { readonly [name: string]: Json | undefined }): JsonObject {
  const given: { [name: string]: Json } = {}
  // Not by entries: this is done for every answer, and they would be an array for each member.
  for (const name in of) {
    const value = of[name]
    if (value !== undefined) given[name] = value
  }
  return given
}
