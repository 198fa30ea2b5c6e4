/**
 * Wake-up calls inside one process: who waits for news of a name sleeps until it is rung. A ring is
 * never lost: one that comes while nobody sleeps makes the next sleep end at once.
 */
import type { Clock } from '../../core/ports.ts'

export type Bells = {
  /** Wakes everyone who listens to `name`. */
  ring(name: string): void
  listen(name: string): Bell
}

export type Bell = {
  /** Resolves after `ms`, on a ring since the last sleep ended, or when `signal` aborts. */
  sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void>
  stop(): void
}

export function openBells(): Bells {
  const listeners = new Map<string, Set<() => void>>()
  return {
    ring: (name) => {
      for (const wake of listeners.get(name) ?? []) wake()
    },
    listen: (name) => {
      const { wake, sleep } = newSleeper()
      const others = listeners.get(name) ?? new Set()
      listeners.set(name, others.add(wake))
      const stop = () => {
        others.delete(wake)
        if (others.size === 0 && listeners.get(name) === others) listeners.delete(name)
      }
      return { sleep, stop }
    },
  }
}

function newSleeper(): { wake(): void; sleep: Bell['sleep'] } {
  let rung = false
  let nap: AbortController | undefined
  const wake = () => {
    rung = true
    nap?.abort()
  }
  const sleep: Bell['sleep'] = async (clock, ms, signal) => {
    if (!rung && signal?.aborted !== true) {
      nap = new AbortController()
      const cut = () => nap?.abort()
      signal?.addEventListener('abort', cut)
      await clock.sleep(ms, nap.signal)
      signal?.removeEventListener('abort', cut)
      nap = undefined
    }
    rung = false
  }
  return { wake, sleep }
}
