import { describe, expect, test } from 'vitest'
import { TIMED_RUNS_MAX, withinTime } from '../../../adapters/formats/time-limit.ts'

/** Far less than the time for which a busy machine may suspend a thread. */
const LIMIT_MS = 20

/** Uses this much processor time, whatever else the machine does. */
function spin(ms: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { system, user } = process.threadCpuUsage(before)
    if ((system + user) / 1_000 >= ms) return
  }
}

/** The share of a processor that Lambda gives a function of 192 MB, and with which period. */
const SHARE = 1 / 9
const PERIOD_MS = 20

/** Rounds of a loop in a millisecond of processor time: Linux tells that time in ticks, so short work is counted in rounds. */
const ROUNDS_PER_MS = (() => {
  const rounds = 20_000_000
  loop(rounds)
  const before = process.threadCpuUsage()
  loop(rounds)
  const { system, user } = process.threadCpuUsage(before)
  return (rounds * 1_000) / (system + user)
})()

function loop(rounds: number): number {
  let mixed = 0
  for (let round = 0; round < rounds; round += 1) mixed = (mixed * 31 + round) | 0
  return mixed
}

/** A thread that has so little of a processor: it takes its share of each period at once, and then waits for the next. */
function starved() {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  let ranMs = 0
  const slice = PERIOD_MS * SHARE
  return {
    /** So much processor time, in slices. */
    run: (ms: number) => {
      for (let leftMs = ms; leftMs > 0; ) {
        const now = Math.min(leftMs, slice - ranMs)
        loop(Math.round(now * ROUNDS_PER_MS))
        leftMs -= now
        ranMs += now
        if (ranMs < slice) continue
        ranMs = 0
        Atomics.wait(sleeper, 0, 0, PERIOD_MS - slice)
      }
    },
  }
}

/** Work whose limited part comes after the rest of it, both on a ninth of a processor. */
function starvedWork(restMs: number, limitedPartMs: number) {
  const thread = starved()
  let since: number | undefined
  let tookMs = 0
  return {
    work: () => {
      since = undefined
      tookMs = 0
      thread.run(restMs)
      since = performance.now()
      thread.run(limitedPartMs)
      tookMs = performance.now() - since
      since = undefined
      return 'value'
    },
    limitedMs: () => (since === undefined ? tookMs : performance.now() - since),
  }
}

describe('work on a ninth of a processor, as in a function of 192 MB', () => {
  test.each([
    ['two thirds of the limit in its limited part', 0, 0.67],
    ['the limit in the rest of it, and half of the limit in its limited part', 1, 0.5],
  ])('work with %s is done', (_what, rest, limited) => {
    const { limitedMs, work } = starvedWork(rest * LIMIT_MS, limited * LIMIT_MS)
    expect(withinTime(LIMIT_MS, work, limitedMs)).toEqual({ kind: 'done', value: 'value' })
  })

  test.each([
    ['three times the limit in its limited part', 0],
    ['the limit in the rest of it, and three times the limit in its limited part', 1],
  ])('work with %s is cut', (_what, rest) => {
    const { limitedMs, work } = starvedWork(rest * LIMIT_MS, 3 * LIMIT_MS)
    expect(withinTime(LIMIT_MS, work, limitedMs)).toEqual({ kind: 'cut' })
  })
})

describe('the longest run of work that gets no processor', () => {
  const SHORT_MS = 5
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  /** By the clock, and in pieces, between which V8 looks whether it shall stop. */
  const waiting = (ms: number) => () => {
    for (const endMs = performance.now() + ms; performance.now() < endMs; )
      Atomics.wait(sleeper, 0, 0, Math.min(5, endMs - performance.now()))
    return 'value'
  }

  test('work is done that takes 36 times the limit', () => {
    const timed = withinTime(SHORT_MS, waiting(36 * SHORT_MS), () => 0)
    expect(timed).toEqual({ kind: 'done', value: 'value' })
  })

  // Far past it: on a busy machine the thread that stops the work comes late.
  test('work is cut that takes 160 times the limit', () => {
    expect(withinTime(SHORT_MS, waiting(160 * SHORT_MS), () => 0)).toEqual({ kind: 'cut' })
  })
})

describe('work under a time limit', () => {
  test('work that takes longer than the limit outside its limited part is done', () => {
    // Measured by the clock, as the limit is: on a busy machine this much processor time could take any time.
    const work = () => {
      for (const endMs = performance.now() + 2 * LIMIT_MS; performance.now() < endMs; );
      return 'value'
    }
    expect(withinTime(LIMIT_MS, work, () => 0)).toEqual({ kind: 'done', value: 'value' })
  })

  test('work that never ends in its limited part is cut, in the first run where it had the processor', () => {
    let runs = 0
    let startedAt = 0
    const work = () => {
      runs += 1
      startedAt = performance.now()
      for (;;) spin(1)
    }
    const timed = withinTime(LIMIT_MS, work, () => performance.now() - startedAt)
    expect(timed).toEqual({ kind: 'cut' })
    expect(runs).toBeLessThanOrEqual(TIMED_RUNS_MAX)
  })

  test('work that never ends outside its limited part is cut after the last run', () => {
    let runs = 0
    const work = () => {
      runs += 1
      for (;;) spin(1)
    }
    expect(withinTime(LIMIT_MS, work, () => 0)).toEqual({ kind: 'cut' })
    expect(runs).toBe(TIMED_RUNS_MAX)
  })

  test('an error of the work is thrown as it is', () => {
    const work = () => {
      throw new RangeError('work')
    }
    expect(() => withinTime(LIMIT_MS, work, () => 0)).toThrow(new RangeError('work'))
  })
})
