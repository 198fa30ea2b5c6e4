/**
 * The JSON text of RFC 8785 (JCS): members sorted by UTF-16 units, no white space, numbers as
 * ECMAScript writes them. Equal values have the same text, whatever the order of their members.
 */
import { isJsonObject, type Json } from './json.ts'

/** The value nests at most as deep as a request may (JSON_DEPTH_MAX): the walk is recursive. */
export function writeCanonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${writeCanonical(value[name] ?? null)}`).join()}}`
}
