import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createSleeper } from '../../../core/session/bells.ts'
import { manualClock } from '../flow/manual-clock.ts'

function asleep(ms: number, signal?: AbortSignal) {
  const clock = manualClock()
  const sleeper = createSleeper()
  const sleep = () => {
    const state = { isOver: false }
    void sleeper.sleep(clock, ms, signal).then(() => {
      state.isOver = true
    })
    return state
  }
  return { clock, sleeper, sleep }
}

describe('a sleeper', () => {
  test('sleeps until its time is over', async () => {
    const { clock, sleep } = asleep(1_000)
    const first = sleep()
    await clock.advance(999)
    expect(first.isOver).toBe(false)
    await clock.advance(1)
    expect(first.isOver).toBe(true)
  })

  test('that is woken twice goes on once, and leaves no timer', async () => {
    const { clock, sleep, sleeper } = asleep(1_000)
    const first = sleep()
    sleeper.wake()
    sleeper.wake()
    await clock.settle()
    expect([first.isOver, clock.sleepers()]).toEqual([true, 0])
    const second = sleep()
    await clock.settle()
    expect([second.isOver, clock.sleepers()]).toEqual([false, 1])
  })

  test('a wake while nobody sleeps ends the next sleep at once, and only that', async () => {
    const { clock, sleep, sleeper } = asleep(1_000)
    sleeper.wake()
    const first = sleep()
    await clock.settle()
    expect(first.isOver).toBe(true)
    const second = sleep()
    await clock.settle()
    expect(second.isOver).toBe(false)
  })

  test('a wake after the time is over, but before the sleeper goes on, is not another', async () => {
    const { clock, sleeper } = asleep(1_000)
    const rings: (() => void)[] = []
    const alarm = (_ms: number, ring: () => void) => {
      rings.push(ring)
      return () => {}
    }
    const first = sleeper.sleep({ alarm }, 1_000)
    rings[0]?.()
    sleeper.wake()
    await first
    let isOver = false
    void sleeper.sleep({ alarm }, 1_000).then(() => {
      isOver = true
    })
    await clock.settle()
    expect(isOver).toBe(false)
  })

  test('an abort ends a sleep and its timer, and each sleep after it at once', async () => {
    const stop = new AbortController()
    const { clock, sleep } = asleep(1_000, stop.signal)
    const first = sleep()
    stop.abort()
    const second = sleep()
    await clock.settle()
    expect([first.isOver, second.isOver, clock.sleepers()]).toEqual([true, true, 0])
  })

  test('a sleep leaves no listener on its signal, however it ends', async () => {
    const { signal } = new AbortController()
    const { clock, sleep, sleeper } = asleep(1_000, signal)
    sleep()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await clock.advance(1_000)
    sleep()
    sleeper.wake()
    await clock.settle()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})
