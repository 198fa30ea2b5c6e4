/**
 * Caches API keys in this process, known and unknown ones, so that most calls read no key. An entry
 * lasts 30 s from the moment its read began, which is before any later revocation. So every process
 * refuses a revoked key after 30 s.
 */
import { KEY_CACHE_MS, UNKNOWN_KEY_CACHE_MS } from '../../../core/access/limits.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** Cached records, about 4 MB. */
export const KEY_CACHE_ENTRIES_MAX = 10_000
/**
 * Cached hashes, about 1 MB. A map of their own, so that a flood of wrong keys evicts no known key.
 */
export const UNKNOWN_KEYS_MAX = 10_000

type Found = KeyRecord | undefined

export type KeyCache = {
  /**
   * Returns the cached record, or calls `read`. Concurrent callers with one hash share one read.
   */
  find(keyHash: string, read: () => Promise<Found>): Promise<Found>
  /** Runs `renew` and caches its result. */
  renewed(keyHash: string, renew: () => Promise<Found>): Promise<void>
  /** Notes that the record was just written or removed: running reads must not be cached. */
  forget(keyHash: string): void
}

/**
 *   find:    read begins ─────────────── read ends: its result is neither cached nor shared
 *   revoke:        └── removes the record ── forget ──┘     the next find reads for itself
 */
export function makeKeyCache(clock: Clock): KeyCache {
  const known = expiringMap<KeyRecord>(clock, {
    lifeMs: KEY_CACHE_MS,
    entriesMax: KEY_CACHE_ENTRIES_MAX,
  })
  const unknown = expiringMap<undefined>(clock, {
    lifeMs: UNKNOWN_KEY_CACHE_MS,
    entriesMax: UNKNOWN_KEYS_MAX,
  })
  const reading = new Map<string, Promise<Found>>()
  // One counter for all hashes: changes are rare, and a needless miss costs one read.
  let changes = 0

  const remember = async (keyHash: string, answer: () => Promise<Found>): Promise<Found> => {
    const [fromMs, before] = [clock.nowMs(), changes]
    const record = await answer()
    if (changes !== before) return record
    if (record === undefined) unknown.set(keyHash, undefined, fromMs)
    else known.set(keyHash, record, fromMs)
    // A renewal can find that a known key was revoked. If a hash were in both maps, the older entry
    // would be used.
    if (record === undefined) known.forget(keyHash)
    else unknown.forget(keyHash)
    return record
  }

  const share = (keyHash: string, read: () => Promise<Found>): Promise<Found> => {
    const shared = remember(keyHash, read).finally(() => {
      if (reading.get(keyHash) === shared) reading.delete(keyHash)
    })
    reading.set(keyHash, shared)
    return shared
  }

  return {
    async find(keyHash, read) {
      const remembered = known.get(keyHash) ?? unknown.get(keyHash)
      if (remembered !== undefined) return remembered.value
      return reading.get(keyHash) ?? share(keyHash, read)
    },
    async renewed(keyHash, renew) {
      await remember(keyHash, renew)
    },
    forget(keyHash) {
      changes += 1
      known.forget(keyHash)
      unknown.forget(keyHash)
      reading.delete(keyHash)
    },
  }
}
