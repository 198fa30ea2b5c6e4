/** An object without the members that are undefined: nothing optional is ever null, which clients refuse. */
import type { Json, JsonObject } from '../json/json.ts'

export function members(of: { readonly [name: string]: Json | undefined }): JsonObject {
  const given: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(of)) {
    if (value !== undefined) given[name] = value
  }
  return given
}
