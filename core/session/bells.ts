/**
 * Wake-up calls within one process: a listener to a name sleeps until that name is rung. No ring is
 * lost: a ring that comes while the listener is awake ends its next sleep at once.
 */
import { makeTransientItems } from '../cache/transient-items.ts'
import type { Clock } from '../ports/outside.ts'

export type Bells = {
  /** Wakes all listeners of `name`. */
  ring(name: string): void
  ringAll(): void
  listen(name: string): Bell
  /** Calls `onRing` at each ring. Returns a function that ends the listening. */
  hear(name: string, onRing: () => void): () => void
}

export type Bell = {
  readonly sleep: Sleeper['sleep']
  stop(): void
}

export type Sleeper = {
  /** Resolves after `ms`, if it was woken since its last sleep, or when `signal` aborts. */
  sleep(clock: Pick<Clock, 'alarm'>, ms: number, signal?: AbortSignal): Promise<void>
  wake(): void
}

/** Hooks for work that is needed only while there are listeners. */
export type BellWatcher = {
  /** Called for each new listener. */
  onListen(): void
  /** Called when the last listener leaves. */
  onSilence(): void
}

/** Bells of one process, without any listener yet. */
export function openBells(watcher: Partial<BellWatcher> = {}): Bells {
  const listeners = makeTransientItems<() => void>()
  const hear: Bells['hear'] = (name, onRing) => {
    const leave = listeners.add(name, onRing)
    watcher.onListen?.()
    return () => {
      leave()
      if (listeners.size() === 0) watcher.onSilence?.()
    }
  }
  return {
    hear,
    ring: (name) => {
      for (const wake of listeners.of(name)) wake()
    },
    ringAll: () => {
      for (const wake of listeners.all()) wake()
    },
    listen: (name) => {
      const { wake, sleep } = createSleeper()
      return { sleep, stop: hear(name, wake) }
    },
  }
}

/** Uses no abort controller for each sleep, because a thousand streams sleep twice each. */
export function createSleeper(): Sleeper {
  let isWoken = false
  let endNap: (() => void) | undefined
  const rest = () => {
    isWoken = false
  }
  return {
    wake: () => {
      isWoken = true
      endNap?.()
    },
    sleep: (clock, ms, signal) => {
      if (isWoken || signal?.aborted === true) return Promise.resolve(rest())
      const nap = new Promise<void>((resolve) => {
        const end = () => {
          endAlarm()
          signal?.removeEventListener('abort', end)
          endNap = undefined
          resolve()
        }
        const endAlarm = clock.alarm(ms, end)
        signal?.addEventListener('abort', end)
        endNap = end
      })
      // Resets when the sleeper runs on, so that a wake in between ends the next sleep.
      return nap.then(rest)
    },
  }
}
