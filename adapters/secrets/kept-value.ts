/**
 * Caches one external value in memory. After `freshMs` the next caller fetches it again, and
 * concurrent callers share the fetch. A caller that doubts the value asks for a younger one
 * (`ageMsMax`). If the fetch fails, the old value is used until `staleMs`;
 * after that the read throws.
 *
 *   fetched ── fresh ──┤ fetch fails ── old value, next try after the pause … ──┤ throws
 *   0              freshMs                                                   staleMs
 */
import type { Clock } from '../../core/ports/outside.ts'

export type CachedValueLimits = {
  /** How long a value is used without a fetch. */
  readonly freshMs: number
  /** How long a value is used while fetches fail. */
  readonly staleMs: number
  /** Pause after a failed fetch, while there is an old value. */
  readonly pauseMs: number
}

export function cacheValue<V>(options: {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly limits: CachedValueLimits
  readonly fetch: () => Promise<V>
  /** Reports each failure that an old value covers. */
  readonly onStale: (cause: unknown) => void
}): (ageMsMax?: number) => Promise<V> {
  const { clock, limits } = options
  let cached: { readonly value: V; readonly fromMs: number } | undefined
  let fetching: Promise<V> | undefined
  let pausedUntilMs = 0

  const refetch = async (): Promise<V> => {
    // The time before the fetch, so that the value is never treated as newer than it is.
    const fromMs = clock.nowMs()
    try {
      cached = { value: await options.fetch(), fromMs }
      return cached.value
    } catch (cause) {
      if (cached === undefined || clock.nowMs() >= cached.fromMs + limits.staleMs) throw cause
      pausedUntilMs = clock.nowMs() + limits.pauseMs
      options.onStale(cause)
      return cached.value
    }
  }

  return async (ageMsMax = limits.freshMs) => {
    const nowMs = clock.nowMs()
    if (cached !== undefined) {
      if (nowMs < cached.fromMs + ageMsMax) return cached.value
      if (nowMs < pausedUntilMs && nowMs < cached.fromMs + limits.staleMs) return cached.value
    }
    fetching ??= refetch().finally(() => {
      fetching = undefined
    })
    return fetching
  }
}
