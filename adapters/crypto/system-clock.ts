/** The wall clock and real waiting. */
import type { Clock } from '../../core/ports/outside.ts'

/** setTimeout turns a longer delay into 1 ms. */
const TIMER_MS_MAX = 2_147_483_647

export function systemClock(): Clock {
  return { nowMs: () => Date.now(), sleep, alarm }
}

/**
 * Most waits end early, twice in each call: a listener that removes itself needs no removal here.
 */
const ONCE = { once: true }

/** The timer is not unref'ed: the process must not end while a caller waits. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const onAbort = () => {
      clearTimeout(timer)
      resolve()
    }
    const onTime = () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }
    const timer = setTimeout(onTime, Math.min(ms, TIMER_MS_MAX))
    signal?.addEventListener('abort', onAbort, ONCE)
  })
}

function alarm(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, Math.min(ms, TIMER_MS_MAX))
  return () => clearTimeout(timer)
}
