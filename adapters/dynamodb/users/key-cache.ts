/**
 * A cache of API keys in this process, known and unknown ones, so that most calls read none. Never
 * a source of truth: each entry lasts 30 s from the moment its read began, which is before any
 * later revocation. So a revoked key is refused everywhere after 30 s.
 */
import { KEY_CACHE_MS, UNKNOWN_KEY_CACHE_MS } from '../../../core/access/limits.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** About 4 MB of records. */
export const KEY_CACHE_ENTRIES_MAX = 10_000
/**
 * About 1 MB of hashes. Apart from the records, so that a flood of wrong keys evicts no known key.
 */
export const UNKNOWN_KEYS_MAX = 10_000

type Found = KeyRecord | undefined

export type KeyCache = {
  /** From the cache, or by `read`. Concurrent callers with one hash share one read. */
  find(keyHash: string, read: () => Promise<Found>): Promise<Found>
  /** Runs `renew` and caches its answer. */
  renewed(keyHash: string, renew: () => Promise<Found>): Promise<void>
  /** The record was just written or removed: reads that are under way must not be cached. */
  forget(keyHash: string): void
}

/**
 *   find:    read begins ─────────────── read ends: neither cached nor shared any more
 *   revoke:        └── removes the record ── forget ──┘     the next find reads for itself
 */
export function keyCache(clock: Clock): KeyCache {
  const known = expiringMap<KeyRecord>(clock, {
    lifeMs: KEY_CACHE_MS,
    entriesMax: KEY_CACHE_ENTRIES_MAX,
  })
  const unknown = expiringMap<undefined>(clock, {
    lifeMs: UNKNOWN_KEY_CACHE_MS,
    entriesMax: UNKNOWN_KEYS_MAX,
  })
  const reading = new Map<string, Promise<Found>>()
  // One counter for all hashes: changes are rare, and dropping too much costs one read.
  let changes = 0

  const remember = async (keyHash: string, answering: () => Promise<Found>): Promise<Found> => {
    const [fromMs, before] = [clock.nowMs(), changes]
    const record = await answering()
    if (changes !== before) return record
    if (record === undefined) unknown.set(keyHash, undefined, fromMs)
    else known.set(keyHash, record, fromMs)
    // A renewal can find that a known key is gone. A hash in both maps would be answered by the
    // older entry.
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
