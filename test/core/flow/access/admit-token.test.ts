/**
 * Tokens that do not have the form of a Skillgate key: how they are looked up, cached, counted and limited.
 */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { V0_UNKNOWN_PER_MINUTE } from '../../../../core/access/limits.ts'
import { admitToken } from '../../../../core/flow/access/admit-token.ts'
import { createV0Lookups, V0_LOOKUPS_KEPT_MAX } from '../../../../core/flow/access/v0-lookups.ts'
import { text } from '../../../contracts/v0-service.ts'
import { type V0World, v0World } from '../migration/v0-world.ts'

const HERE = '203.0.113.9'
const ELSEWHERE = '203.0.113.10'
const OLD = 'oldkey-123456789'

/** Sends tokens through one environment, and notes what is looked up and counted. */
async function environment(world?: V0World) {
  const at = world ?? (await v0World())
  const lookedUp: string[] = []
  const counted: number[] = []
  const watched = {
    ...at.ports,
    keys: {
      ...at.ports.keys,
      find: (hash: string) => {
        lookedUp.push(hash)
        return at.ports.keys.find(hash)
      },
    },
    rateCounters: {
      ...at.ports.rateCounters,
      count: async (counter: { keyHash: string; minute: number }) => {
        const count = await at.ports.rateCounters.count(counter)
        counted.push(count)
        return count
      },
    },
  }
  const lookups = createV0Lookups()
  const send = async (token: string, address = HERE) => {
    const authorization = `Bearer ${token}`
    const refusal = await admitToken(watched, lookups, {
      credential: credentialOf(authorization),
      address,
    })
    return refusal === undefined ? 'admitted' : refusal
  }
  return { clock: at.clock, counted, log: at.log, lookedUp, old: at.old, send, world: at }
}

const UNKNOWN = { code: 'unauthenticated' }
const LIMITED = { code: 'rate_limited', retryAfterSec: 40 }

describe('a token that is not a key of ours by its form', () => {
  test('is admitted when the earlier service issued it', async () => {
    const at = await environment()
    await at.old.put('key', at.world.ports.digests.sha256(OLD), text('ada'))
    expect([await at.send(OLD), await at.send(OLD)]).toEqual(['admitted', 'admitted'])
    expect([at.lookedUp.length, at.counted]).toEqual([1, []])
  })

  test('is looked up and counted once in 30 s when nobody issued it', async () => {
    const at = await environment()
    for (let time = 1; time <= 5; time += 1) expect(await at.send('wrong')).toMatchObject(UNKNOWN)
    expect([at.lookedUp.length, at.counted]).toEqual([1, [1]])
    at.clock.jump(29_999)
    await at.send('wrong')
    expect(at.lookedUp).toHaveLength(1)
    at.clock.jump(1)
    await at.send('wrong')
    expect([at.lookedUp.length, at.counted]).toEqual([2, [1, 2]])
  })

  test('is looked up 20 times a minute for one address, and not once more', async () => {
    expect(V0_UNKNOWN_PER_MINUTE).toBe(20)
    const at = await environment()
    for (let n = 1; n <= 20; n += 1) expect(await at.send(`guess-${n}`)).toMatchObject(UNKNOWN)
    expect(at.log.events()).toContain('unknown-tokens-limited')
    // The clock stands 20 s into a minute.
    expect(await at.send('guess-21')).toMatchObject(LIMITED)
    expect(await at.send('guess-20')).toMatchObject(UNKNOWN)
    expect([at.lookedUp.length, at.counted.at(-1)]).toEqual([20, 20])
    expect(await at.send('guess-21', ELSEWHERE)).toMatchObject(UNKNOWN)
    at.clock.jump(40_000)
    expect(await at.send('guess-22')).toMatchObject(UNKNOWN)
  })

  test('counts for its network in all environments together', async () => {
    const first = await environment()
    for (let n = 1; n <= 20; n += 1) await first.send(`guess-${n}`, '2001:db8:1:2::1')
    const second = await environment(first.world)
    expect(await second.send('guess-21', '2001:db8:1:2::2')).toMatchObject(UNKNOWN)
    expect(await second.send('guess-22', '2001:db8:1:2::3')).toMatchObject(LIMITED)
    expect(second.lookedUp).toHaveLength(1)
  })

  test('that was found before is admitted from a network past its limit', async () => {
    const at = await environment()
    await at.old.put('key', at.world.ports.digests.sha256(OLD), text('ada'))
    await at.send(OLD)
    for (let n = 1; n <= 21; n += 1) await at.send(`guess-${n}`)
    expect(await at.send(OLD)).toBe('admitted')
  })

  test('is left to the door while the store does not answer', async () => {
    const at = await environment()
    at.world.ports.keys = { ...at.world.ports.keys, find: () => Promise.reject(new Error('down')) }
    expect(await at.send('wrong')).toBe('admitted')
    expect(at.log.events()).toContain('token-not-counted')
  })
})

test('keys of ours, other schemes and no header at all are left to the door unread', async () => {
  const at = await environment()
  expect(await at.send(`sgk_${'a'.repeat(43)}`)).toBe('admitted')
  for (const authorization of [undefined, '', 'Basic YTpi', 'Bearer a b']) {
    const sent = { credential: credentialOf(authorization), address: HERE }
    expect(await admitToken(at.world.ports, createV0Lookups(), sent)).toBe(undefined)
  }
  expect([at.lookedUp, at.counted]).toEqual([[], []])
})

test('an environment remembers 10,000 unknown tokens, and forgets the oldest of one more', () => {
  expect(V0_LOOKUPS_KEPT_MAX).toBe(10_000)
  const lookups = createV0Lookups()
  const token = (n: number) => ({ keyHash: `h${n}`, network: HERE, nowMs: 0 })
  for (let n = 1; n <= 10_000; n += 1) lookups.missing(token(n))
  expect(lookups.judge(token(1))).toBe('missing')
  lookups.missing(token(10_001))
  expect([1, 2, 10_001].map((n) => lookups.judge(token(n)))).toEqual([
    'look-up',
    'missing',
    'missing',
  ])
})
