/** The port Clock with the wall clock and node's timers. */
import type { Clock } from '../../core/ports/outside.ts'

/** setTimeout treats a longer delay as 1 ms. */
const TIMER_MS_MAX = 2_147_483_647

export function systemClock(): Clock {
  return { nowMs: () => Date.now(), sleep, alarm }
}

/** Most waits end early, twice in each call: then the listener removes itself. */
const ONCE = { once: true }

/** The timer keeps the process alive while a caller waits. */
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
