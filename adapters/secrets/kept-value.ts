/**
 * One value from outside, cached in memory. After `freshMs` the next caller fetches it anew, and
 * concurrent callers share the fetch. When the fetch fails, the old value counts until `staleMs`;
 * after that the read throws. Knows nothing of the value.
 *
 *   fetched ── fresh ──┤ fetch fails ── old value, next try after the pause … ──┤ throws
 *   0              freshMs                                                   staleMs
 */
import type { Clock } from '../../core/ports.ts'

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
  let kept: { readonly value: V; readonly fromMs: number } | undefined
  let fetching: Promise<V> | undefined
  let quietUntilMs = 0

  const fetchAnew = async (): Promise<V> => {
    // From before the fetch, so that the value never counts as newer than it is.
    const fromMs = clock.nowMs()
    try {
      kept = { value: await options.fetch(), fromMs }
      return kept.value
    } catch (cause) {
      if (kept === undefined || clock.nowMs() >= kept.fromMs + limits.staleMs) throw cause
      quietUntilMs = clock.nowMs() + limits.pauseMs
      options.onStale(cause)
      return kept.value
    }
  }

  return async () => {
    const nowMs = clock.nowMs()
    if (kept !== undefined) {
      if (nowMs < kept.fromMs + limits.freshMs) return kept.value
      if (nowMs < quietUntilMs && nowMs < kept.fromMs + limits.staleMs) return kept.value
    }
    fetching ??= fetchAnew().finally(() => {
      fetching = undefined
    })
    return fetching
  }
}
