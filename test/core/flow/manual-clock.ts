/**
 * A clock that only a test moves. A `sleep` ends when the time has come or its signal aborts; while
 * time passes, sleepers wake one by one in their order, and what each starts runs until it waits.
 */
import { createSleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import type { Clock } from '../../../core/ports/outside.ts'

export type ManualClock = Clock & {
  /** Lets `ms` milliseconds pass. */
  advance(ms: number): Promise<void>
  /** Runs everything that does not wait for time. */
  settle(): Promise<void>
  /** Number of sleepers: 0 when nothing was left running. */
  sleepers(): number
  /** Moves the time without running anything, as a frozen process experiences it. */
  jump(ms: number): void
}

type Sleeper = { readonly untilMs: number; wake(): void }

/** 2033-05-18 03:33:20 UTC, twenty seconds into a minute. */
export const START_MS = 2_000_000_000_000

/** Turns of the event loop after which pending promises and immediates have run. */
const TURNS = 6

export function manualClock(startMs: number = START_MS): ManualClock {
  let nowMs = startMs
  const sleepers = new Set<Sleeper>()
  const next = (untilMs: number) =>
    [...sleepers]
      .filter((one) => one.untilMs <= untilMs)
      .reduce<Sleeper | undefined>(
        (first, one) => (first === undefined || one.untilMs < first.untilMs ? one : first),
        undefined,
      )
  const runUntil = async (untilMs: number) => {
    await turns(TURNS)
    for (let due = next(untilMs); due !== undefined; due = next(untilMs)) {
      nowMs = Math.max(nowMs, due.untilMs)
      due.wake()
      await turns(2)
    }
    nowMs = Math.max(nowMs, untilMs)
    await turns(TURNS)
  }
  const clock = createSleepingClock({
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true || ms <= 0) return resolve()
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
      }),
  })
  return {
    ...clock,
    advance: async (ms) => {
      const untilMs = nowMs + ms
      do await runUntil(untilMs)
      while (next(untilMs) !== undefined)
    },
    settle: async () => {
      do await runUntil(nowMs)
      while (next(nowMs) !== undefined)
    },
    sleepers: () => sleepers.size,
    jump: (ms) => {
      nowMs += ms
    },
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
