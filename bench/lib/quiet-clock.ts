/**
 * A clock for counting: time stands still while the store works, and jumps to the next due sleeper once it is quiet.
 * An hour of a stream is thus counted exactly, on any machine.
 */
import type { Clock } from '../../core/ports/outside.ts'
import { sleepingClock } from './sleeping-clock.ts'

type Sleeper = { readonly untilMs: number; readonly wake: () => void }

/** 2033: later than any store's own clock, so that no record expires but by its attribute. */
export const START_MS = 2_000_000_000_000

export function quietClock(isBusy: () => boolean): Clock {
  let nowMs = START_MS
  let isWaiting = false
  const sleepers = new Set<Sleeper>()
  const moveOn = async () => {
    if (isWaiting) return
    isWaiting = true
    // A request that follows a finished one starts in the same turn.
    do await new Promise((turn) => setImmediate(turn))
    while (isBusy())
    isWaiting = false
    const inOrder = [...sleepers].sort((a, b) => a.untilMs - b.untilMs)
    nowMs = Math.max(nowMs, inOrder[0]?.untilMs ?? 0)
    inOrder[0]?.wake()
    if (inOrder.length > 1) void moveOn()
  }
  return sleepingClock({
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
        void moveOn()
      }),
  })
}
