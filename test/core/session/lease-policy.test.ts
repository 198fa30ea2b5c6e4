import { describe, expect, test } from 'vitest'
import {
  chooseStreamsToEnd,
  computeLeaseReadsMax,
  decideLease,
  filterCountedLeases,
} from '../../../core/session/lease-policy.ts'
import type { StreamLease } from '../../../core/session/session.ts'

const LIMITS = { perKeyMax: 3, totalMax: 6, anonymousMax: 2 }

function lease(session: string, keyHash = 'k', openedAtMs = 0): StreamLease {
  return { keyHash, session, openedAtMs, expiresAtMs: openedAtMs + 75_000 }
}

function leases(count: number, keyHash: string): readonly StreamLease[] {
  return Array.from({ length: count }, (_, i) => lease(`${keyHash}${i}`, keyHash, i))
}

describe('opening one more stream', () => {
  test('the third of three fits', () => {
    const own = lease('own', 'k', 9)
    expect(decideLease([...leases(2, 'k'), own], own, LIMITS)).toEqual({ kind: 'fits' })
  })

  test('the fourth of three needs the place of one, and names the others oldest first', () => {
    const own = lease('own', 'k', 9)
    const [a, b, c] = leases(3, 'k')
    const judged = decideLease(
      [c, own, a, b].filter((one) => one !== undefined),
      own,
      LIMITS,
    )
    expect(judged).toEqual({
      kind: 'key-full',
      surplus: 1,
      others: [a, b, c],
      contested: false,
    })
  })

  test("another key's streams do not count against this key", () => {
    const own = lease('own', 'k', 9)
    expect(decideLease([...leases(5, 'other'), own], own, LIMITS)).toEqual({ kind: 'fits' })
  })

  test('the sixth of six fits, the seventh is one too many', () => {
    const own = lease('own', 'k', 99)
    expect(decideLease([...leases(5, 'o'), own], own, LIMITS)).toEqual({ kind: 'fits' })
    const full = { kind: 'full', limit: 'total', max: 6, contested: false }
    expect(decideLease([...leases(6, 'o'), own], own, LIMITS)).toEqual(full)
  })

  test('two streams that opened in the same millisecond each count the other, and one of them waits', () => {
    const others = [...leases(4, 'o'), lease('m', 'p', 50)]
    const [first, second] = [lease('l', 'k', 50), lease('n', 'k', 50)]
    expect(decideLease([...others, first], first, LIMITS)).toEqual({ kind: 'fits' })
    const both = [...others, first, second]
    expect(decideLease(both, first, LIMITS)).toMatchObject({ kind: 'full', contested: true })
    expect(decideLease(both, second, LIMITS)).toMatchObject({ kind: 'full', contested: false })
  })

  test('an opener does not wait for younger ones where older ones fill the places', () => {
    const own = lease('own', 'k', 50)
    const younger = lease('younger', 'p', 51)
    const judged = decideLease([...leases(6, 'o'), own, younger], own, LIMITS)
    expect(judged).toEqual({ kind: 'full', limit: 'total', max: 6, contested: false })
  })

  test('a younger stream counts for an opener only if it was in its first list, and an older one always', () => {
    const own = lease('own', 'k', 50)
    const [older, first, later] = [lease('a', 'k', 49), lease('b', 'k', 51), lease('c', 'k', 52)]
    const seenFirst = new Set(['own', 'b'])
    expect(filterCountedLeases([older, first, later, own], own, seenFirst)).toEqual([
      older,
      first,
      own,
    ])
  })

  test('the oldest of the recent openers looks 11 times, each younger one once less, the ninth and all others 3 times', () => {
    const openers = Array.from({ length: 11 }, (_, index) => lease(`o${index}`, 'k', 5_000 + index))
    const earlier = [lease('e', 'k', 0)]
    const tries = openers.map((own) => computeLeaseReadsMax([...earlier, ...openers], own))
    expect(tries).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 3, 3])
  })

  test('younger streams are counted, since they may have read the list before this one was in it', () => {
    const own = lease('own', 'k', 50)
    const younger = lease('younger', 'p', 51)
    expect(decideLease([...leases(4, 'o'), own, younger], own, LIMITS)).toEqual({ kind: 'fits' })
    const full = decideLease([...leases(5, 'o'), own, younger], own, LIMITS)
    expect(full).toEqual({ kind: 'full', limit: 'total', max: 6, contested: true })
  })

  test('younger streams of the key are counted, and not ended', () => {
    const own = lease('own', 'k', 50)
    const younger = lease('younger', 'k', 51)
    const older = leases(2, 'k')
    const judged = decideLease([...older, own, younger], own, LIMITS)
    expect(judged).toEqual({ kind: 'key-full', surplus: 1, others: older, contested: true })
  })

  test('the second anonymous stream of two fits, the third does not, and none is ended for it', () => {
    const own = lease('own', 'anonymous', 9)
    const fits = decideLease([...leases(1, 'anonymous'), own], own, LIMITS)
    expect(fits).toEqual({ kind: 'fits' })
    const third = decideLease([...leases(2, 'anonymous'), own], own, LIMITS)
    expect(third).toEqual({ kind: 'full', limit: 'anonymous', max: 2, contested: false })
  })
})

describe('the stream that ends in favour of another', () => {
  const stream = (session: string, lastPostAtMs: number, posted = true) => ({
    session,
    lastPostAtMs,
    posted,
  })

  test('the stream longest without a POST ends in favour of another', () => {
    const others = [stream('a', 2_000), stream('b', 1_000), stream('c', 3_000)]
    expect(chooseStreamsToEnd(others, 1, 100_000)).toEqual(['b'])
    expect(chooseStreamsToEnd(others, 2, 100_000)).toEqual(['b', 'a'])
  })

  test('a stream with a POST 60 s ago may be ended, and one with a POST since then not', () => {
    expect(chooseStreamsToEnd([stream('a', 40_000)], 1, 100_000)).toEqual(['a'])
    expect(chooseStreamsToEnd([stream('a', 40_001)], 1, 100_000)).toBeUndefined()
  })

  test('a stream that never had a POST may be ended at once', () => {
    expect(chooseStreamsToEnd([stream('a', 99_999, false)], 1, 100_000)).toEqual(['a'])
  })

  test('no stream ends when too many are in use', () => {
    const others = [stream('a', 1_000), stream('b', 99_000)]
    expect(chooseStreamsToEnd(others, 2, 100_000)).toBeUndefined()
  })

  test('the stream with the smaller hash ends when the times are equal', () => {
    expect(chooseStreamsToEnd([stream('z', 5), stream('a', 5)], 1, 100_000)).toEqual(['a'])
  })
})
