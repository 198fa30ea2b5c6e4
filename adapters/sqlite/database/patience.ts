/**
 * Waits while another connection writes, without holding the event loop: SQLite's own busy timeout would
 * sleep in the middle of a statement. Transactions are short, so nearly always the first try succeeds.
 */
import { setTimeout } from 'node:timers/promises'
import { isBusy } from './store-fault.ts'

/** A lock that is held longer belongs to a program that is no gateway. */
export const LOCK_PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 1
const PAUSE_MS_MAX = 20

/** Throws what `work` throws; a lock only after the patience is over. */
export function patiently<T>(work: () => T): T | Promise<T> {
  try {
    return work()
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    return tryAgain(work)
  }
}

async function tryAgain<T>(work: () => T): Promise<T> {
  const lastMs = performance.now() + LOCK_PATIENCE_MS
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    // A random pause: waiters that wake together would find each other's lock.
    await setTimeout(pauseMs * (0.5 + Math.random()))
    try {
      return work()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > lastMs) throw cause
    }
    pauseMs = Math.min(pauseMs * 1.5, PAUSE_MS_MAX)
  }
}
