/**
 * A clock that only a test moves. Its `sleep` waits for a moment of real time instead, so that a
 * polling tail goes on polling while the clock stands still.
 */
import { createSleepingClock } from '../../bench/lib/sleeping-clock.ts'
import type { Clock } from '../../core/ports/outside.ts'

export type TestClock = Clock & {
  advance(ms: number): void
  /** Moves on to the next whole second: a store may keep expiry times in seconds. */
  alignToSecond(): void
}

/** 2033-05-18: later than any store's own clock, so that only attributes can expire a record. */
const START_MS = 2_000_000_000_000
const REAL_SLEEP_MS_MAX = 3

export function testClock(startMs: number = START_MS): TestClock {
  let nowMs = startMs
  const clock = createSleepingClock({
    nowMs: () => nowMs,
    sleep: (ms, signal) => sleepBriefly(Math.min(ms, REAL_SLEEP_MS_MAX), signal),
  })
  return {
    ...clock,
    advance: (ms) => {
      nowMs += ms
    },
    alignToSecond: () => {
      nowMs = Math.ceil(nowMs / 1_000) * 1_000
    },
  }
}

function sleepBriefly(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
