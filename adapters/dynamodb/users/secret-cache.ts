/**
 * Caches sealed secrets in this process, so that repeated calls of a skill read none; values in
 * clear text are never cached. A result lasts SECRET_CACHE_MS from the moment its read began. The
 * cache key contains user and skill, so results of two users or two skills never mix.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { SecretStore } from '../../../core/ports/secrets.ts'
import { SECRET_CACHE_MS } from '../../../core/secrets/limits.ts'
import type { FoundSecret } from '../../../core/secrets/secret.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** Cached results: 16 MB if each has the largest size. */
export const ANSWERS_MAX = 256
/** Sealed bytes of a cached result. A call with ten long secrets reads them each time. */
export const ANSWER_BYTES_MAX = 65_536

type SecretQuery = Parameters<SecretStore['find']>[0]
type FoundSecrets = readonly FoundSecret[]

export type SecretCache = {
  /** Returns the cached result, or calls `read`. */
  find(wanted: SecretQuery, read: () => Promise<FoundSecrets>): Promise<FoundSecrets>
  /** Notes a write or removal in this process: cached results and running reads become invalid. */
  forget(): void
}

/**
 *   find:        read begins ────────────────── read ends: cached under the old number, never found
 *   put, remove:      └── writes ── forget (the number increases) ──┘
 */
export function makeSecretCache(clock: Clock): SecretCache {
  const known = expiringMap<FoundSecrets>(clock, {
    lifeMs: SECRET_CACHE_MS,
    entriesMax: ANSWERS_MAX,
  })
  let changes = 0
  return {
    async find(wanted, read) {
      const key = makeCacheKey(changes, wanted)
      const remembered = known.get(key)
      if (remembered !== undefined && wanted.isFresh !== true) return remembered.value
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

function makeCacheKey(
  changes: number,
  { names, skillId, uid, withShared = false }: SecretQuery,
): string {
  return JSON.stringify([changes, uid, skillId, withShared, ...[...names].sort()])
}

/**
 * A result that lacks a secret is not cached: its user will set it, and the next call must find it.
 */
function isCacheable({ names }: SecretQuery, found: FoundSecrets): boolean {
  const foundNames = new Set(found.map(({ name }) => name))
  const bytes = found.reduce(
    (sum, { previous, sealed }) => sum + sealed.length + (previous?.sealed.length ?? 0),
    0,
  )
  return names.every((name) => foundNames.has(name)) && bytes <= ANSWER_BYTES_MAX
}
