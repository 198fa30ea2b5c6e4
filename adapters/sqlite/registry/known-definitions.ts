/**
 * Definitions that were parsed before, by their text: a call need not parse its skill again, and caches
 * keyed by a definition find the same object. Never stale: another text has an entry of its own.
 */
import type { JsonObject } from '../../../core/json/json.ts'
import { jsonObjectFrom } from '../database/row.ts'

/** Characters of all texts; the objects take some times that. A typical definition has 1,000. */
export const KNOWN_CHARS_MAX = 4_000_000

export type KnownDefinitions = { of(text: string): JsonObject }

export function knownDefinitions(): KnownDefinitions {
  const known = new Map<string, JsonObject>()
  let chars = 0
  return {
    of: (text) => {
      const before = known.get(text)
      if (before !== undefined) return before
      const definition = jsonObjectFrom(text, 'definition')
      known.set(text, definition)
      chars += text.length
      // The oldest first; a definition that is still called comes back with its next call.
      for (const oldest of known.keys()) {
        if (chars <= KNOWN_CHARS_MAX) break
        known.delete(oldest)
        chars -= oldest.length
      }
      return definition
    },
  }
}
