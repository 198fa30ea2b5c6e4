/**
 * A clock for counting: the time stays while the store works, and jumps to the next due sleeper
 * when the store is idle. So an hour of a stream is counted exactly, on any machine.
 */
import type { Clock } from '../../core/ports/outside.ts'
import { createSleepingClock } from './sleeping-clock.ts'

type Sleeper = { readonly untilMs: number; readonly wake: () => void }

/**
 * The start in 2033 is later than any store's own clock, so that a record expires only by its
 * attribute.
 */
export const START_MS = 2_000_000_000_000

export function createQuietClock(isBusy: () => boolean): Clock {
  let nowMs = START_MS
  let isWaiting = false
  const sleepers = new Set<Sleeper>()
  const advance = async () => {
    if (isWaiting) return
    isWaiting = true
    // A request that follows a finished one starts in the same turn.
    do await new Promise((turn) => setImmediate(turn))
    while (isBusy())
    isWaiting = false
    const inOrder = [...sleepers].sort((a, b) => a.untilMs - b.untilMs)
    nowMs = Math.max(nowMs, inOrder[0]?.untilMs ?? 0)
    inOrder[0]?.wake()
    if (inOrder.length > 1) void advance()
  }
  return createSleepingClock({
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        const sleeper: Sleeper = {
          untilMs: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake)
        void advance()
      }),
  })
}
