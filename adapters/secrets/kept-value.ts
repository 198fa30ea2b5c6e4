/**
 * One value from outside, cached in memory. After `freshMs` the next caller fetches it anew, and
 * concurrent callers share the fetch. When the fetch fails, the old value counts until `staleMs`;
 * after that the read throws. Knows nothing of the value.
 *
 *   fetched ── fresh ──┤ fetch fails ── old value, next try after the pause … ──┤ throws
 *   0              freshMs                                                   staleMs
 */
import type { Clock } from '../../core/ports/outside.ts'

export type KeptValueLimits = {
  /** How long a value is used without a fetch. */
  readonly freshMs: number
  /** How long a value is used while fetches fail. */
  readonly staleMs: number
  /** The pause after a failed fetch, while there is an old value. */
  readonly pauseMs: number
}

export function keptValue<V>(options: {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly limits: KeptValueLimits
  readonly fetch: () => Promise<V>
  /** Reports each failure that an old value covers. */
  readonly onStale: (cause: unknown) => void
}): () => Promise<V> {
  const { clock, limits } = options
  let cached: { readonly value: V; readonly fromMs: number } | undefined
  let fetching: Promise<V> | undefined
  let quietUntilMs = 0

  const fetchAnew = async (): Promise<V> => {
    // From before the fetch, so that the value never counts as newer than it is.
    const fromMs = clock.nowMs()
    try {
      cached = { value: await options.fetch(), fromMs }
      return cached.value
    } catch (cause) {
      if (cached === undefined || clock.nowMs() >= cached.fromMs + limits.staleMs) throw cause
      quietUntilMs = clock.nowMs() + limits.pauseMs
      options.onStale(cause)
      return cached.value
    }
  }

  return async () => {
    const nowMs = clock.nowMs()
    if (cached !== undefined) {
      if (nowMs < cached.fromMs + limits.freshMs) return cached.value
      if (nowMs < quietUntilMs && nowMs < cached.fromMs + limits.staleMs) return cached.value
    }
    fetching ??= fetchAnew().finally(() => {
      fetching = undefined
    })
    return fetching
  }
}
