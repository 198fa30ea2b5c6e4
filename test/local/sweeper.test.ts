import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Log } from '../../core/ports/outside.ts'
import { startSweeper } from '../../local/sweeper.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SILENT: Log = { call: () => {}, note: () => {} }

function report(minutes: number) {
  return { profiles: 0, holds: 0, minutes, left: 0, backlogMinutes: 0 }
}

test('the sweeper sweeps two seconds after the start, then every minute, and no more once stopped', async () => {
  let runs = 0
  const sweeper = startSweeper(async () => {
    runs += 1
    return report(1)
  }, SILENT)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(runs).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toBe(2)
  await sweeper.stop()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(runs).toBe(2)
})

test('the sweeper runs again sooner while more minutes are behind than one run visits', async () => {
  const minutes = [200, 200, 5]
  let runs = 0
  const sweeper = startSweeper(async () => report(minutes[runs++] ?? 1), SILENT)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(runs).toBe(3)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(runs).toBe(3)
  await sweeper.stop()
})

test('the sweeper reports a failing store, and tries again in a minute', async () => {
  const notes: string[] = []
  const log: Log = { ...SILENT, note: (level, event) => notes.push(`${level} ${event}`) }
  const sweeper = startSweeper(async () => {
    throw new Error('away')
  }, log)
  await vi.advanceTimersByTimeAsync(62_000)
  expect(notes).toEqual(['warn sweep-failed', 'warn sweep-failed'])
  await sweeper.stop()
})

test('the sweeper waits at its stop for the running sweep', async () => {
  const run = Promise.withResolvers<void>()
  const sweeper = startSweeper(async () => {
    await run.promise
    return report(1)
  }, SILENT)
  await vi.advanceTimersByTimeAsync(2_000)
  let stopped = false
  const stopping = sweeper.stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(1)
  expect(stopped).toBe(false)
  run.resolve()
  await stopping
})
