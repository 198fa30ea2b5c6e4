/** The wall clock and real waiting. */
import type { Clock } from '../../core/ports.ts'

/** Node turns a longer delay into 1 ms. */
const TIMER_MS_MAX = 2_147_483_647

export function systemClock(): Clock {
  return { nowMs: () => Date.now(), sleep }
}

/** Most waits are given up, twice a call: a listener that goes by itself need not be looked for. */
const ONCE = { once: true }

/** The timer is not unref'ed: whoever waits here must not have the process end under it. */
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
