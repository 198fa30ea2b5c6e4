/**
 * Wake-up calls inside one process: a listener to a name sleeps until that name is rung. A ring is
 * never lost: one that comes while the listener is awake ends its next sleep at once.
 */
import { transientItems } from '../cache/transient-items.ts'
import type { TailClock } from './tail-state.ts'

export type Bells = {
  /** Wakes everyone who listens to `name`. */
  ring(name: string): void
  ringAll(): void
  listen(name: string): Bell
  /** Calls `onRing` with each ring. Returns a function that ends this. */
  hear(name: string, onRing: () => void): () => void
}

export type Bell = {
  /** Resolves after `ms`, on a ring since the last sleep ended, or when `signal` aborts. */
  sleep(clock: TailClock, ms: number, signal?: AbortSignal): Promise<void>
  stop(): void
}

/** Hooks for work that is needed only while there are listeners. */
export type BellWatcher = {
  /** Called with each new listener. */
  onListen(): void
  /** Called when the last listener has left. */
  onSilence(): void
}

export function openBells(watcher: Partial<BellWatcher> = {}): Bells {
  const listeners = transientItems<() => void>()
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
      const { wake, sleep } = newSleeper()
      return { sleep, stop: hear(name, wake) }
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
