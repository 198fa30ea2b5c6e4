/**
 * One value from outside, kept in memory: fresh for a while, then fetched anew by the first who asks,
 * for all who ask meanwhile. When that fails the old value still counts for a bounded time; after it
 * nobody gets a value. Knows nothing of what it keeps.
 *
 *   fetched ── fresh ──┤ fetch fails ── old value, next try after the pause … ──┤ throws
 *   0              freshMs                                                   staleMs
 */
import type { Clock } from '../../core/ports.ts'

export type KeptValueLimits = {
  /** How long a value is used without a question. */
  readonly freshMs: number
  /** How long it is used while no new one can be had. */
  readonly staleMs: number
  /** After a failed fetch, as long as there is an old value. */
  readonly pauseMs: number
}

export function keptValue<V>(options: {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly limits: KeptValueLimits
  readonly fetch: () => Promise<V>
  /** Told of each failure that an old value covers. */
  readonly onStale: (cause: unknown) => void
}): () => Promise<V> {
  const { clock, limits } = options
  let kept: { readonly value: V; readonly fromMs: number } | undefined
  let fetching: Promise<V> | undefined
  let quietUntilMs = 0

  const fetchAnew = async (): Promise<V> => {
    // From before the fetch: what changes while it runs is then not taken for older than it is.
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
