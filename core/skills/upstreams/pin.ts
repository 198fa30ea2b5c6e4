/**
 * The pin of a tool: a digest of all that an agent and its model are told about it. A refresh
 * compares pins, so a server cannot change an approved tool unnoticed (CVE-2025-54136).
 */
import { writeCanonical } from '../../json/canonical-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'

/** Members of an entry that the pin covers. Others, such as `_meta` and icons, are not taken over. */
export const PINNED_MEMBERS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const

/** Returns the pinned part of an entry. */
export function pickPinned(entry: JsonObject): JsonObject {
  const members = PINNED_MEMBERS.flatMap((name): [string, Json][] => {
    const value = entry[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(members)
}

/** sha256 in base64url over the canonical JSON (RFC 8785) of `{v: 1, …}`. */
export function pinTool(entry: JsonObject, hash: (text: string) => string): string {
  return hash(writeCanonical({ v: 1, ...pickPinned(entry) }))
}
