import { describe, expect, test } from 'vitest'
import type { PendingRequest, Session } from '../../../core/session/session.ts'
import {
  computeNextBeatMs,
  countWaiting,
  findPendingRequest,
  listDueActions,
  pauseMs,
  type StreamState,
  startStream,
} from '../../../core/session/stream-plan.ts'

const SESSION: Session = {
  hash: 'h',
  keyHash: 'k',
  uid: 'ada',
  sealedCredential: undefined,
  createdAtMs: 0,
  lastPostAtMs: 0,
  aliveUntilMs: 75_000,
  endedAtMs: undefined,
  seq: 0,
  base: 0,
  pending: [],
}

function stateOf(session: Partial<Session> = {}, more: Partial<StreamState> = {}): StreamState {
  const state = startStream({ ...SESSION, ...session }, undefined)
  const far = { nextHeartbeatAtMs: 9e9, nextRenewAtMs: 9e9, leasedUntilMs: 9e9 }
  return { ...state, ...far, ...more }
}

function pending(count: number, postedAtMs = 0): readonly PendingRequest[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(i + 1), postedAtMs, calls: true }))
}

function kinds(state: StreamState, nowMs: number): readonly string[] {
  return listDueActions(state, nowMs).map((action) => action.kind)
}

describe('the duties of a stream', () => {
  test('no action is due before the first heartbeat', () => {
    expect(listDueActions(startStream(SESSION, undefined), 4_999)).toEqual([])
  })

  test('a heartbeat is due after 5 s, and a look whether the list changed', () => {
    expect(kinds(startStream(SESSION, undefined), 5_000)).toEqual(['heartbeat', 'look'])
  })

  test('a renewal is due after 30 s', () => {
    const state = startStream(SESSION, undefined)
    expect(kinds(state, 29_999)).not.toContain('renew')
    expect(kinds(state, 30_000)).toEqual(['heartbeat', 'look', 'renew'])
  })

  test('a stream ends 5 s before the lease runs out that was confirmed last, and wakes for that', () => {
    const state = stateOf({ lastPostAtMs: 70_000 }, { leasedUntilMs: 75_000 })
    expect(listDueActions(state, 69_999)).toEqual([])
    expect(listDueActions(state, 70_000)).toEqual([{ kind: 'end', why: 'lease-lapsed' }])
    expect(pauseMs(state, 69_000)).toBe(1_000)
  })

  test('a ping is due 60 s after the last POST, and the second after 120 s', () => {
    expect(kinds(stateOf(), 59_999)).toEqual([])
    expect(kinds(stateOf(), 60_000)).toEqual(['ping'])
    expect(kinds(stateOf({}, { pings: 1 }), 119_999)).toEqual([])
    expect(kinds(stateOf({}, { pings: 1 }), 120_000)).toEqual(['ping'])
  })

  test('a POST starts the count of pings anew', () => {
    const state = stateOf({ lastPostAtMs: 100_000 }, { pings: 2, pingsSinceMs: 0 })
    expect(kinds(state, 159_999)).toEqual([])
    expect(kinds(state, 160_000)).toEqual(['ping'])
  })

  test('a stream ends after 180 s without a POST', () => {
    const state = stateOf({}, { pings: 2 })
    expect(listDueActions(state, 179_999)).toEqual([])
    expect(listDueActions(state, 180_000)).toEqual([{ kind: 'end', why: 'idle' }])
  })

  test('an anonymous stream is pinged 30 s after its last POST and ends after 60 s', () => {
    const state = stateOf({ uid: undefined })
    expect(listDueActions(state, 29_999)).toEqual([])
    expect(kinds(state, 30_000)).toEqual(['ping'])
    const pinged = stateOf({ uid: undefined }, { pings: 1 })
    expect(listDueActions(pinged, 59_999)).toEqual([])
    expect(listDueActions(pinged, 60_000)).toEqual([{ kind: 'end', why: 'idle' }])
  })

  test('a stream does not end idle while a request waits', () => {
    const state = stateOf({ seq: 1, pending: pending(1, 170_000) }, { pings: 9 })
    expect(listDueActions(state, 180_000)).toEqual([])
  })

  test('a session that was ended elsewhere ends the stream at once, whatever else is due', () => {
    const state = stateOf({ endedAtMs: 1 }, { nextHeartbeatAtMs: 0 })
    expect(listDueActions(state, 5_000)).toEqual([{ kind: 'end', why: 'ended-elsewhere' }])
  })

  test("a stream's own drain does not end it at once", () => {
    const state = stateOf({ endedAtMs: 1 }, { draining: 'under-way' })
    expect(listDueActions(state, 5_000)).toEqual([])
  })
})

describe('an unanswered request', () => {
  const [first] = pending(1)

  test('is due 16 s after its POST', () => {
    const state = stateOf({ seq: 1, pending: pending(1) })
    expect(listDueActions(state, 15_999)).toEqual([])
    expect(listDueActions(state, 16_000)).toEqual([
      { kind: 'answer-unanswered', seq: 1, request: first },
    ])
  })

  test('is not due once it was delivered, or the stream has answered it', () => {
    const two = { seq: 2, pending: pending(2) }
    const delivered = stateOf(two, { delivered: { low: 0, above: new Set([2]) } })
    expect(kinds(delivered, 16_000)).toEqual(['answer-unanswered'])
    expect(kinds({ ...delivered, answered: new Set([1]) }, 16_000)).toEqual([])
  })

  test('keeps its number when those before it were forgotten', () => {
    const state = stateOf({ seq: 6, base: 5, pending: pending(1) })
    expect(listDueActions(state, 16_000)).toMatchObject([{ seq: 6 }])
    expect(findPendingRequest(state.session, 6)).toEqual(first)
    expect(findPendingRequest(state.session, 5)).toBeUndefined()
    expect(findPendingRequest(state.session, 7)).toBeUndefined()
  })
})

describe('forgetting delivered requests', () => {
  const eight = { seq: 9, pending: pending(9, 1e9) }

  test('waits until there are eight', () => {
    expect(listDueActions(stateOf(eight, { delivered: { low: 7, above: new Set() } }), 1)).toEqual(
      [],
    )
    const state = stateOf(eight, { delivered: { low: 8, above: new Set() } })
    expect(listDueActions(state, 1)).toEqual([{ kind: 'forget', base: 8 }])
  })

  test('counts from the requests forgotten before', () => {
    const state = stateOf({ ...eight, base: 1 }, { delivered: { low: 8, above: new Set() } })
    expect(listDueActions(state, 1)).toEqual([])
  })
})

describe('the end before a deadline', () => {
  const MINUTE_13 = 780_000
  const DEADLINE = 900_000
  const fresh = { lastPostAtMs: 770_000 }
  const withEnd = (session: Partial<Session> = fresh, more: Partial<StreamState> = {}) =>
    stateOf(session, { deadlineMs: DEADLINE, ...more })

  test('a host without a deadline never rotates its stream', () => {
    expect(listDueActions(stateOf({ lastPostAtMs: 1e9 }), 1e9)).toEqual([])
  })

  test('a stream rotates from minute 13 on when no request is pending', () => {
    expect(listDueActions(withEnd(), MINUTE_13 - 1)).toEqual([])
    expect(listDueActions(withEnd(), MINUTE_13)).toEqual([{ kind: 'rotate-if-quiet' }])
  })

  test('a stream does not rotate while a request is pending', () => {
    const busy = { ...fresh, seq: 1, pending: pending(1, 779_000) }
    expect(listDueActions(withEnd(busy), MINUTE_13)).toEqual([])
  })

  test('a stream drains 20 s before the deadline, even when quiet', () => {
    const busy = { lastPostAtMs: 879_000, seq: 1, pending: pending(1, 879_000) }
    expect(listDueActions(withEnd(busy), DEADLINE - 20_001)).toEqual([])
    expect(listDueActions(withEnd(busy), DEADLINE - 20_000)).toEqual([{ kind: 'drain' }])
    expect(kinds(withEnd({ lastPostAtMs: 879_000 }), DEADLINE - 20_000)).toEqual(['drain'])
  })

  test('no further action is due while the drain is under way; then the stream ends when quiet', () => {
    const quiet = { lastPostAtMs: 879_000, endedAtMs: 880_000 }
    expect(listDueActions(withEnd(quiet, { draining: 'under-way' }), 881_000)).toEqual([])
    const drained = withEnd(quiet, { draining: 'done' })
    expect(listDueActions(drained, 881_000)).toEqual([{ kind: 'rotate-if-quiet' }])
    const busy = { ...quiet, seq: 1, pending: pending(1, 879_000) }
    expect(listDueActions(withEnd(busy, { draining: 'done' }), 881_000)).toEqual([])
  })

  test('a stream of a short-lived host that has drained needs no minute 13', () => {
    const state = stateOf({ endedAtMs: 41_000 }, { deadlineMs: 60_000, draining: 'done' })
    expect(listDueActions(state, 41_000)).toEqual([{ kind: 'rotate-if-quiet' }])
  })

  test('a stream ends 2 s before the deadline, whatever is pending', () => {
    const busy = { lastPostAtMs: 879_000, seq: 1, pending: pending(1, 890_000) }
    const state = withEnd(busy, { draining: 'done' })
    expect(listDueActions(state, DEADLINE - 2_001)).toEqual([])
    expect(listDueActions(state, DEADLINE - 2_000)).toEqual([{ kind: 'end', why: 'deadline' }])
  })
})

describe('the pause of a stream', () => {
  const state = startStream(SESSION, 900_000)

  test('the pause lasts until the next heartbeat', () => {
    expect(pauseMs(state, 0)).toBe(5_000)
    expect(pauseMs(state, 4_000)).toBe(1_000)
  })

  test('the pause is never longer than 5 s, and never less than 1 ms', () => {
    expect(pauseMs({ ...state, nextHeartbeatAtMs: 60_000 }, 0)).toBe(5_000)
    expect(pauseMs({ ...state, nextHeartbeatAtMs: 5_000.5 }, 5_000)).toBe(1)
  })

  test('the pause ends when a request is overdue', () => {
    const waiting = { ...state, session: { ...SESSION, seq: 1, pending: pending(1, 1_500) } }
    expect(pauseMs({ ...waiting, nextHeartbeatAtMs: 20_000 }, 15_000)).toBe(2_500)
    const answered = { ...waiting, nextHeartbeatAtMs: 20_000, answered: new Set([1]) }
    expect(pauseMs(answered, 15_000)).toBe(5_000)
  })

  test('the pause ends at the drain and at the last moment', () => {
    const late = { ...state, nextHeartbeatAtMs: 9e9, nextRenewAtMs: 9e9 }
    expect(pauseMs(late, 879_000)).toBe(1_000)
    expect(pauseMs(late, 897_000)).toBe(1_000)
  })

  test('an action that is overdue already does not make the loop spin', () => {
    expect(pauseMs({ ...state, nextHeartbeatAtMs: 1_000, nextRenewAtMs: 1_000 }, 2_000)).toBe(5_000)
  })
})

describe('the numbers of a stream', () => {
  test('heartbeats keep their rhythm after a late one', () => {
    expect(computeNextBeatMs(5_000, 5_800)).toBe(10_000)
    expect(computeNextBeatMs(5_000, 10_000)).toBe(15_000)
    expect(computeNextBeatMs(5_000, 61_000)).toBe(66_000)
  })

  test('the waiting requests are the accepted ones less the delivered ones', () => {
    expect(countWaiting(stateOf({ seq: 5 }, { delivered: { low: 2, above: new Set([4]) } }))).toBe(
      2,
    )
    expect(countWaiting(stateOf({ seq: 1 }, { delivered: { low: 3, above: new Set() } }))).toBe(0)
  })
})
