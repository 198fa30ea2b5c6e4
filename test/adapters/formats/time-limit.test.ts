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
