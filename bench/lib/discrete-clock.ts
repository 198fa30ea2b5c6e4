/**
 * A clock for counting: time stands still while any party works, real I/O included, and jumps to
 * the next due sleeper once all of them sleep. An hour of a stream is thus counted exactly, on any
 * machine.
 */
import type { Clock } from '../../core/ports.ts'
import { sleepingClock } from './sleeping-clock.ts'

type Sleeper = { readonly untilMs: number; readonly wake: () => void }

/** 2033: later than any store's own clock, so that no record expires but by its attribute. */
const START_MS = 2_000_000_000_000

/** `parties` loops share the clock; it moves when that many sleep. */
export function discreteClock(parties: number): Clock {
  let nowMs = START_MS
  const sleepers = new Set<Sleeper>()
  const moveOn = () => {
    if (sleepers.size < parties) return
    const first = [...sleepers].reduce((a, b) => (b.untilMs < a.untilMs ? b : a))
    nowMs = Math.max(nowMs, first.untilMs)
    first.wake()
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
        setImmediate(moveOn)
      }),
  })
}
