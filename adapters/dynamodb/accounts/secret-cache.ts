/**
 * What this process remembers of sealed secrets, so that a skill that is called again reads none.
 * Never a source of truth, never a value in the clear: each answer lasts SECRET_CACHE_MS from the
 * moment its reading began. Answers of users, and of skills, never meet: both are in the key.
 */
import type { Clock, SecretStore } from '../../../core/ports.ts'
import { SECRET_CACHE_MS } from '../../../core/secrets/limits.ts'
import type { StoredSecret } from '../../../core/secrets/secret.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** With the longest answer that is remembered: 16 MB. */
export const ANSWERS_MAX = 256
/** Sealed bytes of one answer; a call with ten long secrets may as well read them again. */
export const ANSWER_BYTES_MAX = 65_536

type SecretQuery = Parameters<SecretStore['find']>[0]
type FoundSecrets = readonly StoredSecret[]

export type SecretCache = {
  /** From the cache, or by `read`. */
  find(wanted: SecretQuery, read: () => Promise<FoundSecrets>): Promise<FoundSecrets>
  /** Something was written here: all answers are read anew, those on their way too. */
  forget(): void
}

/**
 *   find:        read begins ────────────────── read ends: kept under the old number, never found
 *   put, remove:      └── writes ── forget (the number moves on) ──┘
 */
export function secretCache(clock: Clock): SecretCache {
  const known = expiringMap<FoundSecrets>(clock, {
    lifeMs: SECRET_CACHE_MS,
    entriesMax: ANSWERS_MAX,
  })
  let changes = 0
  return {
    async find(wanted, read) {
      const key = keyOf(changes, wanted)
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered.value
      const fromMs = clock.nowMs()
      const found = await read()
      if (isWorthIt(wanted, found)) known.set(key, found, fromMs)
      return found
    },
    forget() {
      changes += 1
    },
  }
}

function keyOf(changes: number, { names, skillId, uid }: SecretQuery): string {
  return JSON.stringify([changes, uid, skillId, ...[...names].sort()])
}

/** One that is missing is asked for again at once: its user is told to have it set. */
function isWorthIt({ names }: SecretQuery, found: FoundSecrets): boolean {
  const there = new Set(found.map(({ name }) => name))
  const bytes = found.reduce((sum, { sealed }) => sum + sealed.length, 0)
  return names.every((name) => there.has(name)) && bytes <= ANSWER_BYTES_MAX
}
