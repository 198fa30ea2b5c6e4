/**
 * A number in a JSON value that is kept as it was written, since a double would change it
 * (`exactJson` in changed-numbers.ts makes it). JSON.stringify writes its digits, and no comparison with a number holds.
 */
import { isJsonObject, type Json, type JsonObject } from './json.ts'

type RawNumber = JsonObject & { readonly rawJSON: string }

/** Not yet in the library of TypeScript; every Node from 22 on has them. */
const known = JSON as unknown as {
  isRawJSON(value: unknown): boolean
  rawJSON(source: string): RawNumber
}

/** `source` is a number as JSON writes it. */
export function rawNumber(source: string): RawNumber {
  return known.rawJSON(source)
}

export function isRawNumber(value: Json | undefined): value is RawNumber {
  return known.isRawJSON(value)
}

/** True if a client that parses the text of `value` may get another number. */
export function holdsRawNumber(value: Json): boolean {
  if (isRawNumber(value)) return true
  if (Array.isArray(value)) return value.some((item: Json) => holdsRawNumber(item))
  return isJsonObject(value) && Object.values(value).some(holdsRawNumber)
}
