/**
 * Caches, in one environment of a door, the look-ups of tokens that do not have the form of our keys: those
 * that it found, those that it did not, and the networks that sent too many unknown ones in this minute.
 * Reads no store.
 */
import { UNKNOWN_KEY_CACHE_MS } from '../../access/limits.ts'
import { minuteOf } from '../../access/minute.ts'
import { keepYoungest } from '../../cache/keep-youngest.ts'

/** Hashes, and networks: about 1 MB each. Past it the oldest goes. */
export const V0_LOOKUPS_KEPT_MAX = 10_000

type Token = { readonly keyHash: string; readonly network: string; readonly nowMs: number }

export type V0Lookups = {
  /**
   * `look-up`: nothing is known of the token. `limited`: nothing either, and its network has sent
   * too many unknown ones. `missing`: it was looked up within UNKNOWN_KEY_CACHE_MS.
   */
  judge(token: Token): 'found' | 'missing' | 'limited' | 'look-up'
  found(token: Token): void
  missing(token: Token): void
  /** No unknown token of this network is looked up before the minute is over. */
  limit(token: Token): void
}

export function v0Lookups(): V0Lookups {
  const found = new Map<string, true>()
  const missingUntilMs = new Map<string, number>()
  const limitedMinute = new Map<string, number>()
  return {
    judge({ keyHash, network, nowMs }) {
      if (found.has(keyHash)) return 'found'
      if (nowMs < (missingUntilMs.get(keyHash) ?? 0)) return 'missing'
      return limitedMinute.get(network) === minuteOf(nowMs) ? 'limited' : 'look-up'
    },
    // A key that was found before is looked up even if it was revoked since: its sender is not guessing.
    found: ({ keyHash }) => keep(found, keyHash, true),
    missing: ({ keyHash, nowMs }) => keep(missingUntilMs, keyHash, nowMs + UNKNOWN_KEY_CACHE_MS),
    limit: ({ network, nowMs }) => keep(limitedMinute, network, minuteOf(nowMs)),
  }
}

function keep<V>(entries: Map<string, V>, key: string, value: V): void {
  keepYoungest(entries, key, value, V0_LOOKUPS_KEPT_MAX)
}
