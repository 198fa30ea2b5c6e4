/**
 * A raw number: a number in a JSON value that keeps its source text, because a double would change
 * it. `withRawNumbers` in changed-numbers.ts makes raw numbers. JSON.stringify writes the source text. A
 * raw number is an object, so it never equals a number.
 */
import { isJsonObject, type Json, type JsonObject } from './json.ts'

type RawNumber = JsonObject & { readonly rawJSON: string }

/** These functions exist in Node 22 and later, but not yet in TypeScript's library. */
const rawJson = JSON as unknown as {
  isRawJSON(value: unknown): boolean
  rawJSON(source: string): RawNumber
}

/** `source` is a number as JSON writes it. */
export function toRawNumber(source: string): RawNumber {
  return rawJson.rawJSON(source)
}

export function isRawNumber(value: Json | undefined): value is RawNumber {
  return rawJson.isRawJSON(value)
}

/** True if `value` has a raw number; a client that parses its text may get another number. */
export function hasRawNumber(value: Json): boolean {
  if (isRawNumber(value)) return true
  if (Array.isArray(value)) return value.some((item: Json) => hasRawNumber(item))
  return isJsonObject(value) && Object.values(value).some(hasRawNumber)
}
