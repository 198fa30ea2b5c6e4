import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { Fault } from '../../../../core/errors.ts'
import { executeSkill } from '../../../../core/flow/execute/execute-skill.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { type CallOptions, execute, mortal, problemIn, run, successOf } from '../caller.ts'
import { keyFor, makeWorld, okOf, type World } from '../world.ts'

let world: World
let key: string

beforeEach(async () => {
  world = makeWorld()
  key = await world.user('u1', { credits: 10 })
  await world.skill('sg_sun', { price: 2 })
})

const KEYED: CallOptions = { idempotencyKey: 'order-1' }

describe('a call with the same key and body', () => {
  test('gets the first answer again: one execution, one charge', async () => {
    const first = successOf(await run(world, key, 'sg_sun', KEYED))
    const again = await execute(world, key, 'sg_sun', KEYED)
    expect(successOf(again.answer)).toEqual(first)
    expect(again.replayed).toBe(true)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('u1')).toEqual({ free: 8, held: 0 })
  })

  test('is settled before its answer goes out, and leaves nothing to do after it', async () => {
    const executed = await execute(world, key, 'sg_sun', KEYED)
    expect(executed.after).toEqual([])
    expect(executed.replayed).toBeUndefined()
    expect(await world.credits('u1')).toEqual({ free: 8, held: 0 })
  })

  test('is answered 409 with Retry-After while the first is running', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 5_000 })
    const first = run(world, key, 'sg_sun', KEYED)
    await world.clock.settle()
    const { answer } = await execute(world, key, 'sg_sun', KEYED)
    expect(problemIn(answer)).toMatchObject({ status: 409, code: 'conflict', retryAfterSec: 1 })
    expect(successOf(await first).credits.charged).toBe(2)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('gets the same failure again after a failure, and is not run again', async () => {
    world.upstream.next({ kind: 'answer', status: 500 })
    const first = problemIn(await run(world, key, 'sg_sun', KEYED))
    const again = problemIn(await run(world, key, 'sg_sun', KEYED))
    expect(first).toMatchObject({
      status: 502,
      credits: { charged: 2, refunded: 2, remaining: 10 },
    })
    expect(again).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('u1')).toEqual({ free: 10, held: 0 })
  })

  test('runs once for a free skill, too', async () => {
    await world.skill('sg_free', { price: 0 })
    await run(world, key, 'sg_free', KEYED)
    expect(successOf(await run(world, key, 'sg_free', KEYED)).skillId).toBe('sg_free')
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('runs once when it comes 20 times at once, and later ones get its answer', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => execute(world, key, 'sg_sun', KEYED)),
    )
    const successes = all.filter(({ answer }) => answer.kind === 'success')
    expect(successes.length).toBeGreaterThanOrEqual(1)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('u1')).toEqual({ free: 8, held: 0 })
    expect(successOf(await run(world, key, 'sg_sun', KEYED)).credits.remaining).toBe(8)
  })

  test('is a repeat for 24 hours and a new call after them', async () => {
    await run(world, key, 'sg_sun', KEYED)
    await world.clock.advance(86_399_000)
    await run(world, key, 'sg_sun', KEYED)
    expect(world.upstream.requests).toHaveLength(1)
    await world.clock.advance(2_000)
    await run(world, key, 'sg_sun', KEYED)
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('u1')).toEqual({ free: 6, held: 0 })
  })

  test('is not cut when its caller leaves, who is expected back', async () => {
    const departure = new AbortController()
    world.upstream.next({ kind: 'answer', afterMs: 3_000 })
    const first = run(world, key, 'sg_sun', { ...KEYED, gone: departure.signal })
    await world.clock.settle()
    departure.abort()
    expect(successOf(await first).credits.charged).toBe(2)
    expect(successOf(await run(world, key, 'sg_sun', KEYED)).credits.charged).toBe(2)
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('a repeat', () => {
  test('counts in the minute, and is refused past its limit', async () => {
    const small = await world.user('small', { credits: 10, tier: 'small' })
    for (let nth = 0; nth < 3; nth += 1) successOf(await run(world, small, 'sg_sun', KEYED))
    const past = await execute(world, small, 'sg_sun', KEYED)
    expect(problemIn(past.answer)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(past.replayed).toBeUndefined()
    expect(world.upstream.requests).toHaveLength(1)
    await world.clock.advance(60_000)
    expect(successOf(await run(world, small, 'sg_sun', KEYED)).credits.charged).toBe(2)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('is answered only while its caller may call the skill', async () => {
    await world.skill('sg_team', { price: 2, groups: ['team'] })
    await world.ports.profiles.change('u1', { groups: ['team'] })
    const first = successOf(await run(world, key, 'sg_team', KEYED))
    await world.ports.profiles.change('u1', { groups: [] })
    expect(problemIn(await run(world, key, 'sg_team', KEYED)).code).toBe('unknown_skill')
    await world.ports.profiles.change('u1', { groups: ['team'] })
    expect(successOf(await run(world, key, 'sg_team', KEYED))).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('of a skill that was disabled is refused', async () => {
    await run(world, key, 'sg_sun', KEYED)
    const place = { source: 'official', skillId: 'sg_sun' }
    okOf(await changeSkill(world.ports, world.settings, place, { state: 'disabled' }))
    expect(problemIn(await run(world, key, 'sg_sun', KEYED)).code).toBe('forbidden')
  })

  test('gets no answer of another skill that the name meant before', async () => {
    await run(world, key, 'sg_sun', KEYED)
    await world.skill('sg_sun', { price: 1, source: 'private', uid: 'u1' })
    expect(problemIn(await run(world, key, 'sg_sun', KEYED))).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('called another skill'),
    })
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('another call under the same key', () => {
  test('with other arguments is 409, whether the first has ended or not', async () => {
    await run(world, key, 'sg_sun', KEYED)
    const other = problemIn(await run(world, key, 'sg_sun', { ...KEYED, args: { city: 'Oslo' } }))
    expect(other).toMatchObject({ status: 409, code: 'conflict' })
    expect(other.detail).toContain('other arguments')
    expect(other.retryAfterSec).toBeUndefined()
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('by another user is another call', async () => {
    const bob = await world.user('u2', { credits: 10 })
    await run(world, key, 'sg_sun', KEYED)
    await run(world, bob, 'sg_sun', KEYED)
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('u2')).toEqual({ free: 8, held: 0 })
  })

  test('with another API key of the user is 409, since only the first key can read the answer', async () => {
    await run(world, key, 'sg_sun', KEYED)
    const second = await keyFor(world, 'u1')
    const answer = problemIn(await run(world, second, 'sg_sun', KEYED))
    expect(answer.detail).toContain('another API key')
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('a key that is free again', () => {
  test('a key is free again after a 402: once credits are granted the same key runs', async () => {
    const poor = await world.user('u3', { credits: 1 })
    expect(problemIn(await run(world, poor, 'sg_sun', KEYED)).status).toBe(402)
    const grant = { uid: 'u3', grantId: 'g', amount: 5_000_000, creditsMax: 1e12, nowMs: 1 }
    await world.ports.ledger.grant(grant)
    expect(successOf(await run(world, poor, 'sg_sun', KEYED)).credits.remaining).toBe(4)
  })

  test('a key is free again after a 404, a 422 and a 429', async () => {
    const small = await world.user('u4', { credits: 10, tier: 'small' })
    expect(problemIn(await run(world, small, 'sg_none', KEYED)).status).toBe(404)
    await run(world, small, 'sg_sun', { idempotencyKey: 'x' })
    await run(world, small, 'sg_sun', { idempotencyKey: 'y' })
    expect(problemIn(await run(world, small, 'sg_sun', KEYED)).status).toBe(429)
    await world.clock.advance(60_000)
    expect(successOf(await run(world, small, 'sg_sun', KEYED)).credits.charged).toBe(2)
  })

  test('a key is free again after the store failed before the upstream was called', async () => {
    const broken = { ...world.ports.ledger, hold: () => fault() }
    await expect(execute(world, key, 'sg_sun', { ...KEYED, ledger: broken })).rejects.toThrow(Fault)
    expect(successOf(await run(world, key, 'sg_sun', KEYED)).credits.charged).toBe(2)
  })
})

describe('a crash in the middle', () => {
  test('before the answer is kept leaves a free call that never runs again', async () => {
    // The claim and the hold are written; then the process dies, and none of its later writes
    // happens.
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = { ...idempotencyRecords, keep: () => fault() }
    world.upstream.next({ kind: 'hang' })
    const dead = execute(world, key, 'sg_sun', {
      ...KEYED,
      ledger: mortal(world.ports.ledger, { at: 2, when: 'before' }),
    })
    dead.catch(() => {})
    await world.clock.settle()
    world.ports.idempotencyRecords = idempotencyRecords
    await world.clock.advance(59_000)
    expect(problemIn((await execute(world, key, 'sg_sun', KEYED)).answer).retryAfterSec).toBe(1)
    await world.clock.advance(2_000)
    const answer = problemIn(await run(world, key, 'sg_sun', KEYED))
    expect(answer).toMatchObject({ status: 409, code: 'conflict' })
    expect(answer.detail).toContain('interrupted and cost nothing')
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('u1')).toEqual({ free: 10, held: 0 })
    expect(problemIn(await run(world, key, 'sg_sun', KEYED)).detail).toContain('interrupted')
  })

  test('after the answer is kept and before the outcome leaves a free call whose repeats get the answer', async () => {
    const ledger = mortal(world.ports.ledger, { at: 2, when: 'before' })
    const first = successOf(await run(world, key, 'sg_sun', { ...KEYED, ledger }))
    // The outcome may still come.
    expect(problemIn(await run(world, key, 'sg_sun', KEYED)).retryAfterSec).toBe(1)
    await world.clock.advance(61_000)
    expect(successOf(await run(world, key, 'sg_sun', KEYED))).toEqual(first)
    await run(world, key, 'sg_sun', { idempotencyKey: 'heals-in-passing' })
    expect(await world.credits('u1')).toEqual({ free: 8, held: 0 })
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('that keeps the answer from being stored makes the call free once it is repeated', async () => {
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = { ...idempotencyRecords, keep: () => fault() }
    expect(successOf(await run(world, key, 'sg_sun', KEYED)).credits.charged).toBe(2)
    world.ports.idempotencyRecords = idempotencyRecords
    await world.clock.advance(61_000)
    expect(problemIn(await run(world, key, 'sg_sun', KEYED)).detail).toContain('cost nothing')
    expect(await world.credits('u1')).toEqual({ free: 10, held: 0 })
    expect(world.log.notes.map(({ event }) => event)).toContain('answer-not-kept')
  })
})

describe('a kept answer', () => {
  test('is sealed: the store shows no content, no key and no Idempotency-Key', async () => {
    world.upstream.next({ kind: 'answer', body: '{"secret":"rosebud"}' })
    const kept: Uint8Array[] = []
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = {
      ...idempotencyRecords,
      keep: (record) => {
        if (typeof record.sealed !== 'string') kept.push(record.sealed)
        return idempotencyRecords.keep(record)
      },
    }
    await run(world, key, 'sg_sun', KEYED)
    const text = Buffer.concat(kept).toString('latin1')
    expect(kept).toHaveLength(1)
    expect(text).not.toContain('rosebud')
    expect(text).not.toContain('order-1')
  })

  test('has at most 1 MiB; a longer one is kept elsewhere, and a repeat gets the same link', async () => {
    await world.skill('sg_big', { price: 1, config: { max_response_bytes: 4_000_000 } })
    world.upstream.next({ kind: 'answer', body: JSON.stringify('x'.repeat(1_100_000)) })
    const first = successOf(await run(world, key, 'sg_big', KEYED))
    expect(first).toMatchObject({ content: [{ type: 'text' }, { type: 'resource_link' }] })
    expect(successOf(await run(world, key, 'sg_big', KEYED)).content).toEqual(first.content)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('u1')).toEqual({ free: 9, held: 0 })
  })
})

test('our own functions send no Idempotency-Key: the call id is their key', async () => {
  const terms = { callId: 'c'.repeat(22), deadlineMs: world.clock.nowMs() + 15_000 }
  const executed = await executeSkill(world.ports, world.settings, world.caches, {
    credential: credentialOf(key),
    body: { skill: 'sg_sun', arguments: {} },
    terms,
    idempotencyKey: undefined,
    gone: new AbortController().signal,
  })
  expect(successOf(executed.answer).callId).toBe(terms.callId)
  expect(executed.after).toHaveLength(1)
})

function fault(): Promise<never> {
  return Promise.reject(new Fault('store_unavailable', 'the store is down'))
}
