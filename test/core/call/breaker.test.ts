import { describe, expect, test } from 'vitest'
import {
  type Breaker,
  CLOSED_BREAKER,
  enterBreaker,
  leaveBreaker,
  releaseProbe,
} from '../../../core/call/breaker.ts'

/** The given number of sends, one a second, that all end the same way. */
function following(breaker: Breaker, sends: number, failed: boolean, fromMs = 0): Breaker {
  let now = breaker
  for (let turn = 0; turn < sends; turn += 1)
    now = leaveBreaker(now, fromMs + turn * 1_000, { failed, probe: false })
  return now
}

function allowed(breaker: Breaker, nowMs: number): boolean {
  return enterBreaker(breaker, nowMs).allowed
}

describe('a breaker', () => {
  test('lets every send through while sends work', () => {
    expect(allowed(following(CLOSED_BREAKER, 1_000, false), 1_000_000)).toBe(true)
  })

  test('stays closed at nine failures of nine, and opens at the tenth', () => {
    expect(allowed(following(CLOSED_BREAKER, 9, true), 9_000)).toBe(true)
    expect(allowed(following(CLOSED_BREAKER, 10, true), 9_000)).toBe(false)
  })

  test('opens at half of the sends, and not below', () => {
    const tenWorked = following(CLOSED_BREAKER, 10, false)
    expect(allowed(following(tenWorked, 9, true, 10_000), 19_000)).toBe(true)
    expect(allowed(following(tenWorked, 10, true, 10_000), 19_000)).toBe(false)
  })

  test('is not opened by a successful send, whatever came before', () => {
    const worked = leaveBreaker(following(CLOSED_BREAKER, 9, true), 9_000, {
      failed: false,
      probe: false,
    })
    expect(allowed(worked, 9_000)).toBe(true)
    expect(allowed(leaveBreaker(worked, 9_000, { failed: true, probe: false }), 9_000)).toBe(false)
  })

  test('lets another probe through when one told nothing about the upstream', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    const again = enterBreaker(releaseProbe(probing.breaker, { probe: true }), 24_001)
    expect(again).toMatchObject({ allowed: true, probe: true })
    expect(releaseProbe(probing.breaker, { probe: false })).toEqual(probing.breaker)
  })

  test('forgets sends of more than 30 s ago', () => {
    const nineFailed = following(CLOSED_BREAKER, 9, true)
    expect(allowed(leaveBreaker(nineFailed, 60_000, { failed: true, probe: false }), 60_000)).toBe(
      true,
    )
  })

  test('says how long it stays open, to the second', () => {
    const open = following(CLOSED_BREAKER, 10, true)
    expect(enterBreaker(open, 9_001)).toEqual({ allowed: false, retryAfterSec: 15 })
    expect(enterBreaker(open, 23_999)).toEqual({ allowed: false, retryAfterSec: 1 })
  })

  test('lets one probe through after 15 s, and no second beside it', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    expect(enterBreaker(probing.breaker, 24_001)).toEqual({ allowed: false, retryAfterSec: 1 })
  })

  test('closes when the probe works, with nothing held against the upstream', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    expect(leaveBreaker(probing.breaker, 24_100, { failed: false, probe: true })).toEqual(
      CLOSED_BREAKER,
    )
  })

  test('opens again for 15 s when the probe fails', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    const open = leaveBreaker(probing.breaker, 24_100, { failed: true, probe: true })
    expect(allowed(open, 39_099)).toBe(false)
    expect(allowed(open, 39_100)).toBe(true)
  })

  test('does not wait for ever for a probe that never reports its end', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    expect(allowed(probing.breaker, 43_999)).toBe(false)
    expect(allowed(probing.breaker, 44_000)).toBe(true)
  })

  test('is not closed by a slow success that began before it opened', () => {
    const open = following(CLOSED_BREAKER, 10, true)
    expect(allowed(leaveBreaker(open, 10_000, { failed: false, probe: false }), 10_000)).toBe(false)
  })

  test('is not closed by a slow success beside the probe either', () => {
    const probing = enterBreaker(following(CLOSED_BREAKER, 10, true), 24_000)
    if (!probing.allowed) throw new Error('no probe was let through')
    const later = leaveBreaker(probing.breaker, 24_050, { failed: false, probe: false })
    expect(enterBreaker(later, 24_100)).toEqual({ allowed: false, retryAfterSec: 1 })
  })

  test('keeps no more than a window of slices, however many sends there are', () => {
    let breaker = CLOSED_BREAKER
    for (let ms = 0; ms < 600_000; ms += 100)
      breaker = leaveBreaker(breaker, ms, { failed: false, probe: false })
    expect(breaker.slices.length).toBeLessThanOrEqual(10)
  })
})
