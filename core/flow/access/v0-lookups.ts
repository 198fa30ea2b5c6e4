/**
 * Caches look-ups of tokens without the form of our keys, in one environment of a door: found
 * tokens, missing tokens, and the networks that sent too many unknown ones in this minute. Reads no
 * store.
 */
import { UNKNOWN_KEY_CACHE_MS } from '../../access/limits.ts'
import { toMinute } from '../../access/minute.ts'
import { keepYoungest } from '../../cache/keep-youngest.ts'

/** Entries of each of the three maps, about 1 MB for each. The oldest entry is dropped first. */
export const V0_LOOKUPS_KEPT_MAX = 10_000

type Token = { readonly keyHash: string; readonly network: string; readonly nowMs: number }

export type V0Lookups = {
  /**
   * `look-up`: the token is not cached. `limited`: the token is not cached either, and its network
   * has sent too many unknown ones. `missing`: the token was looked up within UNKNOWN_KEY_CACHE_MS.
   */
  judge(token: Token): 'found' | 'missing' | 'limited' | 'look-up'
  found(token: Token): void
  missing(token: Token): void
  /** No unknown token of this network is looked up before the minute is over. */
  limit(token: Token): void
}

export function createV0Lookups(): V0Lookups {
  const found = new Map<string, true>()
  const missingUntilMs = new Map<string, number>()
  const limitedMinute = new Map<string, number>()
  return {
    judge({ keyHash, network, nowMs }) {
      if (found.has(keyHash)) return 'found'
      if (nowMs < (missingUntilMs.get(keyHash) ?? 0)) return 'missing'
      return limitedMinute.get(network) === toMinute(nowMs) ? 'limited' : 'look-up'
    },
    // A found key is looked up again even if it was revoked since, because its sender is not
    // guessing.
    found: ({ keyHash }) => keepEntry(found, keyHash, true),
    missing: ({ keyHash, nowMs }) =>
      keepEntry(missingUntilMs, keyHash, nowMs + UNKNOWN_KEY_CACHE_MS),
    limit: ({ network, nowMs }) => keepEntry(limitedMinute, network, toMinute(nowMs)),
  }
}

function keepEntry<V>(entries: Map<string, V>, key: string, value: V): void {
  keepYoungest(entries, key, value, V0_LOOKUPS_KEPT_MAX)
}
