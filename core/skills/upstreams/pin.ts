/**
 * The pin of a tool: a digest of all that an agent and its model are told about it. A refresh
 * compares pins, so a server cannot change an approved tool unnoticed (CVE-2025-54136).
 */
import { writeCanonical } from '../../json/canonical-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { ToolUi } from '../skill.ts'
import { readToolUi } from './ui-meta.ts'

/**
 * Members of an entry that the pin covers, beside `_meta.ui`, which says what page shows results.
 * Others, such as icons, are not taken over.
 */
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
  const ui = readToolUi(entry['_meta'])
  return Object.fromEntries(
    ui === undefined ? members : [...members, ['_meta', { ui: toJson(ui) }]],
  )
}

function toJson({ resourceUri, visibility }: ToolUi): JsonObject {
  return { resourceUri, ...(visibility === undefined ? {} : { visibility: [...visibility] }) }
}

/** sha256 in base64url over the canonical JSON (RFC 8785) of `{v: 1, …}`. */
export function pinTool(entry: JsonObject, hash: (text: string) => string): string {
  return hash(writeCanonical({ v: 1, ...pickPinned(entry) }))
}
