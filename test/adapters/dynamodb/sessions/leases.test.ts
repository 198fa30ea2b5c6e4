/** Leases in their parts: how evenly they lie, what a list reads. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dynamoLeases } from '../../../../adapters/dynamodb/sessions/leases.ts'
import {
  findStreamsPart,
  leaseKey,
  STREAMS_PARTS,
  streamsPk,
} from '../../../../adapters/dynamodb/table.ts'
import type { StreamLease } from '../../../../core/session/session.ts'
import { freshHash } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
const leases = dynamoLeases(store)
const PARTS = Array.from({ length: STREAMS_PARTS }, (_, part) => part)

beforeEach(async () => {
  for (const lease of await leases.list(0)) await leases.remove(lease)
  seen.length = 0
})

function leaseInPart(part: number): StreamLease {
  const nowMs = clock.nowMs()
  for (;;) {
    const session = freshHash()
    if (findStreamsPart(session) !== part) continue
    return { keyHash: freshHash(), session, openedAtMs: nowMs, expiresAtMs: nowMs + 75_000 }
  }
}

describe('the parts of the leases', () => {
  test('leases lie in eight partitions, of which the first has no number', () => {
    expect(PARTS.map(streamsPk)).toEqual([
      'streams',
      'streams:1',
      'streams:2',
      'streams:3',
      'streams:4',
      'streams:5',
      'streams:6',
      'streams:7',
    ])
    expect(leaseKey('h1', 's1')).toEqual({ pk: streamsPk(findStreamsPart('s1')), sk: 'h1#s1' })
  })

  test('8,000 leases fill no part with more than 1,150', () => {
    const counts = PARTS.map(() => 0)
    for (let n = 0; n < 8_000; n += 1) {
      const part = findStreamsPart(freshHash())
      counts[part] = (counts[part] ?? 0) + 1
    }
    expect(Math.max(...counts)).toBeLessThan(1_150)
  })

  test('a list has the leases of every part, for a unit of each', async () => {
    const put = PARTS.map(leaseInPart)
    for (const lease of put) await leases.put(lease)
    seen.length = 0
    const listed = await leases.list(clock.nowMs())
    expect(listed).toHaveLength(8)
    for (const lease of put) expect(listed).toContainEqual(lease)
    expect(seen.map(({ command, units }) => [command, units])).toEqual(
      PARTS.map(() => ['query', 1]),
    )
  })

  test('a lease in each part is renewed and removed', async () => {
    for (const part of PARTS) {
      const lease = leaseInPart(part)
      await leases.put(lease)
      const renewed = { ...lease, expiresAtMs: lease.expiresAtMs + 1 }
      expect(await leases.renew(renewed)).toBe(true)
      expect(await leases.list(clock.nowMs())).toEqual([renewed])
      await leases.remove(lease)
      expect(await leases.list(clock.nowMs())).toEqual([])
    }
  })
})

describe('the removal of a lease', () => {
  test('in its own part is one request', async () => {
    const lease = leaseInPart(5)
    await leases.put(lease)
    seen.length = 0
    await leases.remove(lease)
    expect(seen.map(({ command }) => command)).toEqual(['delete'])
  })
})
