import { describe, expect, test } from 'vitest'
import {
  computePause,
  type PollOutcome,
  type PollPace,
  startPace,
} from '../../../core/session/poll-pace.ts'

const CALM: Omit<PollOutcome, 'nowMs'> = { waiting: 0, changed: false, trouble: false }

/** Pauses of so many polls in a row that see the same, with time passing by the pauses. */
function pauses(count: number, outcome: Omit<PollOutcome, 'nowMs'>, from: PollPace = startPace(0)) {
  const all: number[] = []
  let pace = from
  let nowMs = 0
  for (let poll = 0; poll < count; poll += 1) {
    const next = computePause(pace, { ...outcome, nowMs })
    all.push(next.ms)
    pace = next.pace
    nowMs += next.ms
  }
  return { all, pace, nowMs }
}

describe('the pace of polls', () => {
  test('a pending request is asked for every 40 ms for two seconds, then each time 1.5 times later, 250 ms at most', () => {
    const { all } = pauses(56, { ...CALM, waiting: 1 })
    expect(all.slice(0, 50)).toEqual(Array(50).fill(40))
    expect(all.slice(50)).toEqual([60, 90, 135, 202.5, 250, 250])
  })

  test('the pause is 40 ms until 1,999 ms after the last change, and grows from 2,000 ms on', () => {
    const { pace } = computePause(startPace(0), { ...CALM, nowMs: 0, waiting: 1 })
    expect(computePause(pace, { ...CALM, nowMs: 1_999, waiting: 1 }).ms).toBe(40)
    expect(computePause(pace, { ...CALM, nowMs: 2_000, waiting: 1 }).ms).toBe(60)
  })

  test('news start the two seconds of fast polls again while a request is pending', () => {
    const slow = pauses(56, { ...CALM, waiting: 2 })
    const news = { nowMs: 5_000, waiting: 1, changed: true, trouble: false }
    const changed = computePause(slow.pace, news)
    expect(changed.ms).toBe(40)
    expect(computePause(changed.pace, { ...CALM, nowMs: 6_999, waiting: 1 }).ms).toBe(40)
    expect(computePause(changed.pace, { ...CALM, nowMs: 7_000, waiting: 1 }).ms).toBe(60)
  })

  test('trouble in between neither slows the polls down nor starts their fast time again', () => {
    const pending = computePause(startPace(0), { ...CALM, nowMs: 0, waiting: 1 })
    const troubled = computePause(pending.pace, {
      nowMs: 40,
      waiting: 1,
      changed: false,
      trouble: true,
    })
    expect(troubled.ms).toBe(250)
    expect(computePause(troubled.pace, { ...CALM, nowMs: 1_999, waiting: 1 }).ms).toBe(40)
    expect(computePause(troubled.pace, { ...CALM, nowMs: 2_000, waiting: 1 }).ms).toBe(60)
  })

  test('a quiet time in between starts the polls from 40 ms again', () => {
    const slow = pauses(56, { ...CALM, waiting: 1 })
    const idle = computePause(slow.pace, { ...CALM, nowMs: 10_000 })
    expect(computePause(idle.pace, { ...CALM, nowMs: 10_250, waiting: 1 }).ms).toBe(40)
  })

  test('the pause is 250 ms while no request is pending', () => {
    expect(pauses(3, CALM).all).toEqual([250, 250, 250])
  })

  test('the pause is 250 ms until a minute after the last news, and 500 ms a moment later', () => {
    expect(computePause(startPace(0), { ...CALM, nowMs: 60_000 }).ms).toBe(250)
    expect(computePause(startPace(0), { ...CALM, nowMs: 60_001 }).ms).toBe(500)
  })

  test('news, or a pending request, end the quiet', () => {
    const afterNews = computePause(startPace(0), { ...CALM, nowMs: 90_000, changed: true })
    expect(afterNews.ms).toBe(250)
    expect(computePause(afterNews.pace, { ...CALM, nowMs: 150_000 }).ms).toBe(250)
    expect(computePause(afterNews.pace, { ...CALM, nowMs: 150_001 }).ms).toBe(500)
    const afterWork = computePause(startPace(0), { ...CALM, nowMs: 90_000, waiting: 1 })
    expect(computePause(afterWork.pace, { ...CALM, nowMs: 120_000 }).ms).toBe(250)
  })

  test('trouble of the store makes pauses of 250, 500, 1000 and 2000 ms, and none longer', () => {
    expect(pauses(6, { ...CALM, trouble: true }).all).toEqual([
      250, 500, 1_000, 2_000, 2_000, 2_000,
    ])
  })

  test('one poll that works ends the backing off', () => {
    const troubled = pauses(4, { ...CALM, trouble: true })
    const calm = computePause(troubled.pace, { ...CALM, nowMs: 5_000 })
    expect(calm.ms).toBe(250)
    expect(computePause(calm.pace, { ...CALM, nowMs: 5_250, trouble: true }).ms).toBe(250)
  })
})
