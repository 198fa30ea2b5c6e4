/**
 * A cache of sealed secrets in this process, so that a skill that is called again reads none. Never
 * a source of truth, never a value in the clear: each answer lasts SECRET_CACHE_MS from the moment
 * its read began. The cache key holds user and skill, so answers of two users or two skills never
 * mix.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { SecretStore } from '../../../core/ports/secrets.ts'
import { SECRET_CACHE_MS } from '../../../core/secrets/limits.ts'
import type { FoundSecret } from '../../../core/secrets/secret.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** With the longest answer that is cached: 16 MB. */
export const ANSWERS_MAX = 256
/** Sealed bytes of one answer. A call with ten long secrets reads them each time. */
export const ANSWER_BYTES_MAX = 65_536

type SecretQuery = Parameters<SecretStore['find']>[0]
type FoundSecrets = readonly FoundSecret[]

export type SecretCache = {
  /** From the cache, or by `read`. */
  find(wanted: SecretQuery, read: () => Promise<FoundSecrets>): Promise<FoundSecrets>
  /** A secret was written or removed here: all answers are read anew, also those being read now. */
  forget(): void
}

/**
 *   find:        read begins ────────────────── read ends: cached under the old number, never found
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
      if (isCacheable(wanted, found)) known.set(key, found, fromMs)
      return found
    },
    forget() {
      changes += 1
    },
  }
}

function keyOf(changes: number, { names, skillId, uid, withShared = false }: SecretQuery): string {
  return JSON.stringify([changes, uid, skillId, withShared, ...[...names].sort()])
}

/**
 * An answer that lacks a secret is not cached: its user is told to set it, and the next call must
 * see it.
 */
function isCacheable({ names }: SecretQuery, found: FoundSecrets): boolean {
  const foundNames = new Set(found.map(({ name }) => name))
  const bytes = found.reduce(
    (sum, { previous, sealed }) => sum + sealed.length + (previous?.sealed.length ?? 0),
    0,
  )
  return names.every((name) => foundNames.has(name)) && bytes <= ANSWER_BYTES_MAX
}
