/**
 * A small cache for values that may be slightly out of date: each entry lasts a fixed time, and a
 * full map drops its oldest entry. The cache ends with the process.
 */
import { keepYoungest } from '../../../core/cache/keep-youngest.ts'
import type { Clock } from '../../../core/ports/outside.ts'

export type ExpiringMap<V> = {
  /** The cached value, which may itself be undefined; undefined if no value is cached. */
  get(key: string): { readonly value: V } | undefined
  /** `fromMs`: when the read of the value began (epoch ms); default: the current time. */
  set(key: string, value: V, fromMs?: number): void
  forget(key: string): void
}

/** `lifeMs`: how long an entry is served; `entriesMax`: how many entries the map keeps. */
export function expiringMap<V>(
  clock: Clock,
  limits: { lifeMs: number; entriesMax: number },
): ExpiringMap<V> {
  const entries = new Map<string, { value: V; untilMs: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      return entry === undefined || entry.untilMs <= clock.nowMs() ? undefined : entry
    },
    set(key, value, fromMs = clock.nowMs()) {
      const entry = { value, untilMs: fromMs + limits.lifeMs }
      keepYoungest(entries, key, entry, limits.entriesMax)
    },
    forget: (key) => {
      entries.delete(key)
    },
  }
}
