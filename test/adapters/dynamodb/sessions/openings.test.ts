/** How many streams may be open: what an opener is told, and what a list of all leases takes off. */
import { beforeEach, describe, expect, test } from 'vitest'
import { dynamoLeases } from '../../../../adapters/dynamodb/sessions/leases.ts'
import { openingsKey } from '../../../../adapters/dynamodb/table.ts'
import { LIST_AGE_MAX_MS } from '../../../../core/session/lease-policy.ts'
import { freshHash } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const { store, seen } = await useEmbeddedStore(testClock())
const leases = dynamoLeases(store)
const NOW_MS = 2_000_000_000_000

beforeEach(async () => {
  await store.remove(store.tables.sessions, openingsKey())
  seen.length = 0
})

describe('the bound of open streams', () => {
  test('nothing is known before the first list', async () => {
    expect(await leases.countOpening(NOW_MS)).toEqual({
      atMost: Infinity,
      openings: 1,
      list: undefined,
    })
  })

  test('after a list it is what was found, and each opening since', async () => {
    const count = await leases.countOpening(NOW_MS)
    await leases.noteListed(count, 40, NOW_MS)
    expect(await leases.countOpening(NOW_MS)).toEqual({ atMost: 41, openings: 1, list: 1 })
    expect(await leases.countOpening(NOW_MS)).toEqual({ atMost: 42, openings: 2, list: 1 })
  })

  test('an opening that was counted after the one that listed stays in it', async () => {
    const lister = await leases.countOpening(NOW_MS)
    await leases.countOpening(NOW_MS)
    await leases.noteListed(lister, 40, NOW_MS)
    expect((await leases.countOpening(NOW_MS)).atMost).toBe(42)
  })

  test('the first of two lists from the same one stands, and the second takes nothing off', async () => {
    const [one, other] = [await leases.countOpening(NOW_MS), await leases.countOpening(NOW_MS)]
    await leases.noteListed(other, 40, NOW_MS)
    await leases.noteListed(one, 7, NOW_MS)
    expect(await leases.countOpening(NOW_MS)).toEqual({ atMost: 41, openings: 1, list: 1 })
  })

  test('a list that is noted twice takes its openings off once', async () => {
    await leases.noteListed(await leases.countOpening(NOW_MS), 40, NOW_MS)
    const second = await leases.countOpening(NOW_MS)
    await leases.noteListed(second, 30, NOW_MS)
    await leases.countOpening(NOW_MS)
    await leases.noteListed(second, 30, NOW_MS)
    expect(await leases.countOpening(NOW_MS)).toEqual({ atMost: 32, openings: 2, list: 2 })
  })

  test('a list of a minute ago is enough, and one that is older bounds nothing', async () => {
    await leases.noteListed(await leases.countOpening(NOW_MS), 40, NOW_MS)
    expect((await leases.countOpening(NOW_MS + LIST_AGE_MAX_MS)).atMost).toBe(41)
    expect((await leases.countOpening(NOW_MS + LIST_AGE_MAX_MS + 1)).atMost).toBe(Infinity)
  })

  test('costs a unit each', async () => {
    const count = await leases.countOpening(NOW_MS)
    await leases.noteListed(count, 40, NOW_MS)
    expect(seen.map(({ command, units }) => [command, units])).toEqual([
      ['update', 1],
      ['update', 1],
    ])
  })
})

test('the leases of a key are a unit of each part, however many other keys have some', async () => {
  const keyHash = freshHash()
  for (let n = 0; n < 64; n += 1) {
    const owner = n % 16 === 0 ? keyHash : freshHash()
    const lease = { keyHash: owner, session: freshHash(), openedAtMs: NOW_MS }
    await leases.put({ ...lease, expiresAtMs: NOW_MS + 75_000 })
  }
  seen.length = 0
  expect(await leases.listOfKey(keyHash, NOW_MS)).toHaveLength(4)
  expect(seen.map(({ units }) => units).reduce((sum, units) => sum + units, 0)).toBeLessThanOrEqual(
    8,
  )
})
