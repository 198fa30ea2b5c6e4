/**
 * Wake-up calls: who waits for news of a name sleeps until it is rung. A ring is never lost: one that
 * comes while nobody sleeps makes the next sleep end at once. While somebody listens, a change by another
 * process is noticed within 50 ms and rings every bell, since it does not say whose it is.
 */
import type { Clock } from '../../../core/ports.ts'

/** Half of the 50 ms, so that a timer that comes late still keeps them. A look costs 2 µs. */
export const LOOK_EVERY_MS = 25

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

/**
 * `hasChanged`: whether another process has written since it was asked last; undefined: there is none. A
 * look that fails is told to `onTrouble`, and looking ends until the next stream begins to listen: those
 * that wait read at their own pace and meet the same trouble. Thrown in a timer it would end the process.
 */
export function openBells(
  hasChanged: (() => boolean) | undefined,
  onTrouble: (cause: unknown) => void,
): Bells {
  const listeners = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    try {
      if (hasChanged?.() !== true) return
    } catch (cause) {
      unwatch()
      onTrouble(cause)
      return
    }
    for (const names of listeners.values()) for (const wake of names) wake()
  }
  const watch = () => {
    if (hasChanged === undefined || timer !== undefined) return
    timer = setInterval(look, LOOK_EVERY_MS)
    timer.unref()
  }
  const unwatch = () => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    ring: (name) => {
      for (const wake of listeners.get(name) ?? []) wake()
    },
    listen: (name) => {
      const { wake, sleep } = newSleeper()
      const others = listeners.get(name) ?? new Set()
      listeners.set(name, others.add(wake))
      watch()
      const stop = () => {
        others.delete(wake)
        if (others.size === 0 && listeners.get(name) === others) listeners.delete(name)
        if (listeners.size === 0) unwatch()
      }
      return { sleep, stop }
    },
  }
}

/** An abort without a reason makes an exception with a stack, for each ring. */
const RUNG = 'rung'

function newSleeper(): { wake(): void; sleep: Bell['sleep'] } {
  let rung = false
  let nap: AbortController | undefined
  const wake = () => {
    rung = true
    nap?.abort(RUNG)
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
