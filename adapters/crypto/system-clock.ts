/** The wall clock and real waiting. */
import type { Clock } from '../../core/ports.ts'

/** Node turns a longer delay into 1 ms. */
const TIMER_MS_MAX = 2_147_483_647

export function systemClock(): Clock {
  return { nowMs: () => Date.now(), sleep }
}

/** The timer is not unref'ed: whoever waits here must not have the process end under it. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(ms, TIMER_MS_MAX))
    signal?.addEventListener('abort', done)
  })
}
