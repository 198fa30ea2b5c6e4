import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import {
  CALLERS_MAX,
  makeCircuitBreakers,
  ORIGINS_MAX,
} from '../../../../core/flow/execute/circuit-breakers.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { type CallOptions, execute, problemIn, run, successOf } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import type { Script } from '../doubles.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, type World } from '../world.ts'

const DOWN: Script = { kind: 'answer', status: 503 }
const UP: Script = { kind: 'answer' }
const WHOLE = { free: 100, held: 0 }

async function ready(config: JsonObject = {}) {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { config })
  return { world, ada }
}

/** A world after ten calls in quick succession whose upstream failed. */
async function opened(config: JsonObject = {}) {
  const { world, ada } = await ready(config)
  await calls(world, ada, 10, DOWN)
  return { world, ada }
}

async function calls(world: World, user: string, times: number, script: Script): Promise<void> {
  world.upstream.always(script)
  for (let turn = 0; turn < times; turn += 1) await run(world, user, 'sg_weather')
  world.upstream.always(UP)
}

/** True when the next call does not reach its upstream. */
async function isOpen(world: World, user: string, calling: CallOptions = {}): Promise<boolean> {
  const before = world.upstream.requests.length
  await run(world, user, 'sg_weather', calling)
  return world.upstream.requests.length === before
}

describe('an upstream that keeps failing', () => {
  test('is not called after ten failures: a call is refused with the time to wait, and refunded', async () => {
    const { world, ada } = await opened()
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem).toMatchObject({
      status: 502,
      code: 'upstream_failed',
      detail:
        'The upstream has been failing, so no request is sent to it for 15 s. Try again after that.',
      retryAfterSec: 15,
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
    expect(world.upstream.requests).toHaveLength(10)
    expect(await world.credits('ada')).toEqual(WHOLE)
    expect(world.log.calls.at(-1)).toMatchObject({ upstreamMs: undefined, outcome: 'refunded' })
  })

  test('is still called after nine failures', async () => {
    const { world, ada } = await ready()
    await calls(world, ada, 9, DOWN)
    expect(await isOpen(world, ada)).toBe(false)
  })

  test('is reported to an agent in a tool result, and its stream goes on', async () => {
    const { world, ada } = await opened()
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    const [answer] = stream.withId(1)
    expect(answer).toMatchObject({
      result: { isError: true, _meta: { 'skillgate/credits': { refunded: 1, remaining: 100 } } },
    })
    expect(textOf(answer)).toContain('no request is sent to it for 15 s')
    expect(stream.why()).toBeUndefined()
  })

  test('is tried again by one call after 15 s, which closes the breaker if it works', async () => {
    const { world, ada } = await opened()
    await world.clock.advance(14_999)
    expect(await isOpen(world, ada)).toBe(true)
    world.clock.jump(1)
    world.upstream.next({ ...UP, afterMs: 1_000 })
    const probe = execute(world, ada, 'sg_weather')
    await world.clock.advance(10)
    const beside = problemIn((await execute(world, ada, 'sg_weather')).answer)
    expect(beside).toMatchObject({ code: 'upstream_failed', retryAfterSec: 1 })
    await world.clock.advance(1_000)
    const { after, answer } = await probe
    await runSteps(after)
    expect(answer.kind).toBe('success')
    await calls(world, ada, 9, DOWN)
    expect(await isOpen(world, ada)).toBe(false)
  })

  test('is not called for 15 s more when that call fails', async () => {
    const { world, ada } = await opened()
    await world.clock.advance(15_000)
    await calls(world, ada, 1, DOWN)
    expect(await isOpen(world, ada)).toBe(true)
    await world.clock.advance(15_000)
    expect(await isOpen(world, ada)).toBe(false)
  })
})

describe('the breaker of an upstream', () => {
  test.each<[string, Script]>([
    ['500', { kind: 'answer', status: 500 }],
    ['no connection', { kind: 'unreachable' }],
    ['a connection that ended before the answer', { kind: 'dropped' }],
    ['an answer that broke off', { kind: 'dropped', hasPartialAnswer: true }],
    ['that it never answers', { kind: 'hang' }],
  ])('counts %s as a failure', async (_what, script) => {
    const { world, ada } = await ready({ timeout_ms: 1_000 })
    await calls(world, ada, 10, script)
    expect(await isOpen(world, ada)).toBe(true)
  })

  test.each<[string, Script]>([
    ['404', { kind: 'answer', status: 404 }],
    ['429', { kind: 'answer', status: 429 }],
    ['501', { kind: 'answer', status: 501 }],
    ['an answer too large', { kind: 'too_large' }],
    ['a refused target', { kind: 'refused_target', detail: 'its URL is private' }],
    ['a bug of ours', { kind: 'throw' }],
  ])('does not count %s as a failure', async (_what, script) => {
    const { world, ada } = await ready()
    await calls(world, ada, 12, script)
    expect(await isOpen(world, ada)).toBe(false)
  })

  test('does not count a deadline that left less than 250 ms', async () => {
    const { world, ada } = await ready({ timeout_ms: 249 })
    await calls(world, ada, 12, { kind: 'hang' })
    expect(await isOpen(world, ada)).toBe(false)
    await world.skill('sg_weather', { config: { timeout_ms: 250 } })
    await calls(world, ada, 12, { kind: 'hang' })
    expect(await isOpen(world, ada)).toBe(true)
  })

  test('counts callers that leave neither as failures nor as successes', async () => {
    const { world, ada } = await ready()
    const leave = async () => {
      const departure = new AbortController()
      world.upstream.next({ kind: 'hang' })
      const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
      await world.clock.settle()
      departure.abort()
      await executed
    }
    for (let turn = 0; turn < 12; turn += 1) await leave()
    await calls(world, ada, 10, DOWN)
    expect(await isOpen(world, ada)).toBe(true)
  })

  test('counts nothing for callers that had left before, since nothing is sent', async () => {
    const { world, ada } = await opened()
    await world.clock.advance(15_000)
    const answer = await run(world, ada, 'sg_weather', { gone: AbortSignal.abort() })
    expect(problemIn(answer).code).toBe('cancelled')
    expect(world.upstream.requests).toHaveLength(10)
    expect(world.log.calls.at(-1)).toMatchObject({ upstreamMs: undefined })
    expect(await isOpen(world, ada)).toBe(false)
  })

  test('does not count calls that were voided', async () => {
    const { world, ada } = await ready()
    for (let nth = 0; nth < 12; nth += 1) {
      const callId = `call-${nth}-${'x'.repeat(20)}`
      const deadlineMs = world.clock.nowMs() + 15_000
      world.upstream.next({ kind: 'hang' })
      const executed = execute(world, ada, 'sg_weather', { terms: { callId, deadlineMs } })
      await world.clock.advance(10)
      okOf(await voidCall(world.ports, { uid: 'ada', callId, reason: 'cancelled' }))
      await world.clock.advance(1_000)
      expect(problemIn((await executed).answer).code).toBe('cancelled')
    }
    expect(await isOpen(world, ada)).toBe(false)
  })
})

describe('a probe', () => {
  test.each<[string, Script]>([
    ['whose caller leaves', { kind: 'hang' }],
    ['whose target is refused', { kind: 'refused_target', detail: 'its URL is private' }],
    ['that met a bug of ours', { kind: 'throw' }],
  ])('%s leaves the decision to the next call', async (_what, script) => {
    const { world, ada } = await opened()
    await world.clock.advance(15_000)
    world.upstream.next(script)
    const departure = new AbortController()
    const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
    await world.clock.settle()
    departure.abort()
    await executed
    expect(world.upstream.requests).toHaveLength(11)
    // The next is the probe: its failure opens the breaker at once.
    await calls(world, ada, 1, DOWN)
    expect(world.upstream.requests).toHaveLength(12)
    expect(await isOpen(world, ada)).toBe(true)
  })
})

describe('the retries of a call', () => {
  test('count as sends of their own', async () => {
    const { world, ada } = await ready({ retries: 2 })
    await calls(world, ada, 3, DOWN)
    expect(await isOpen(world, ada)).toBe(false)
    await calls(world, ada, 1, DOWN)
    expect(world.upstream.requests).toHaveLength(11)
  })

  test('end when the breaker opens, with the last answer of the upstream', async () => {
    const { world, ada } = await ready({ retries: 2 })
    world.upstream.always({ kind: 'answer', status: 503, body: '{"why":"moving house"}' })
    for (let turn = 0; turn < 3; turn += 1) await run(world, ada, 'sg_weather')
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(world.upstream.requests).toHaveLength(10)
    expect(problem.detail).toContain('moving house')
  })
})

describe('a breaker', () => {
  test("is shared by all of a user's calls to one origin", async () => {
    const { world, ada } = await opened()
    await world.skill('sg_other', { config: { endpoint: 'https://api.example/other' } })
    expect(problemIn(await run(world, ada, 'sg_other')).retryAfterSec).toBe(15)
  })

  test('that the failed answers of one user have opened refuses no other user', async () => {
    const { world, ada } = await opened()
    const bob = await world.user('bob')
    expect(await isOpen(world, bob)).toBe(false)
    expect(await isOpen(world, ada)).toBe(true)
  })

  test('stays closed for others while the calls of two users fail, and opens with those of a third', async () => {
    const { world, ada } = await ready()
    const [bob, eve, zoe] = [
      await world.user('bob'),
      await world.user('eve'),
      await world.user('zoe'),
    ]
    await calls(world, ada, 9, DOWN)
    await calls(world, bob, 9, DOWN)
    expect(await isOpen(world, zoe)).toBe(false)
    await calls(world, eve, 1, DOWN)
    expect(await isOpen(world, zoe)).toBe(true)
  })

  test("forgets a user's failure after 30 s", async () => {
    const { world, ada } = await ready()
    const [bob, eve, zoe] = [
      await world.user('bob'),
      await world.user('eve'),
      await world.user('zoe'),
    ]
    await calls(world, ada, 1, DOWN)
    await calls(world, bob, 1, DOWN)
    await world.clock.advance(30_000)
    await calls(world, eve, 9, DOWN)
    await calls(world, bob, 9, DOWN)
    expect(await isOpen(world, zoe)).toBe(false)
  })

  test('that three users have opened is not kept open by the failed probe of one', async () => {
    const { world, ada } = await ready()
    const [bob, eve, zoe] = [
      await world.user('bob'),
      await world.user('eve'),
      await world.user('zoe'),
    ]
    for (const user of [ada, bob, eve, ada, bob, eve, ada, bob, eve, ada]) {
      await calls(world, user, 1, DOWN)
    }
    expect(await isOpen(world, zoe)).toBe(true)
    await world.clock.advance(30_000)
    await calls(world, ada, 1, DOWN)
    expect(await isOpen(world, zoe)).toBe(false)
  })

  test('opens for every caller when the calls of one user find no connection', async () => {
    const { world, ada } = await ready()
    const bob = await world.user('bob')
    await calls(world, ada, 10, { kind: 'unreachable' })
    expect(await isOpen(world, bob)).toBe(true)
  })

  test.each<[string, Script]>([
    ['a connection that ends before the answer', { kind: 'dropped' }],
    ['an answer that breaks off', { kind: 'dropped', hasPartialAnswer: true }],
    ['no answer in time', { kind: 'hang' }],
    ['an answer that cannot be read', { kind: 'unreadable' }],
  ])('opens for every caller by %s only if three users meet it', async (_what, script) => {
    const { world, ada } = await ready({ timeout_ms: 1_000 })
    const [bob, eve, zoe] = [
      await world.user('bob'),
      await world.user('eve'),
      await world.user('zoe'),
    ]
    await calls(world, ada, 12, script)
    expect([await isOpen(world, ada), await isOpen(world, zoe)]).toEqual([true, false])
    await calls(world, bob, 12, script)
    expect(await isOpen(world, zoe)).toBe(false)
    await calls(world, eve, 12, script)
    expect(await isOpen(world, zoe)).toBe(true)
  })

  test.each(['https://other.example/', 'https://api.example:8443/', 'http://api.example/'])(
    'is not shared with %s',
    async (endpoint) => {
      const settings = makeWorld().settings
      const world = makeWorld({
        ...settings,
        outboundAllow: ['api.example', 'api.example:8443'],
      })
      const ada = await world.user('ada')
      await world.skill('sg_weather')
      await calls(world, ada, 10, DOWN)
      await world.skill('sg_other', { config: { endpoint } })
      successOf(await run(world, ada, 'sg_other'))
    },
  )

  test('is not shared with another environment', async () => {
    const { world, ada } = await opened()
    const other = { ...world, caches: makeWorld().caches }
    successOf(await run(other, ada, 'sg_weather'))
  })
})

describe('the cache of breakers', () => {
  const fail = (
    breakers: ReturnType<typeof makeCircuitBreakers>,
    origin: string,
    times: number,
  ) => {
    for (let turn = 0; turn < times; turn += 1) {
      const entered = breakers.enter({ origin, uid: 'ada' }, START_MS)
      if (entered.allowed) entered.done(START_MS, 'down')
    }
  }

  test('holds 1,000 origins, and forgets the least recently used', () => {
    const breakers = makeCircuitBreakers()
    fail(breakers, 'https://first.example', 10)
    fail(breakers, 'https://second.example', 10)
    for (let nth = 2; nth < ORIGINS_MAX; nth += 1)
      breakers.enter({ origin: `https://${nth}.example`, uid: 'bob' }, START_MS)
    expect(ORIGINS_MAX).toBe(1_000)
    expect(breakers.enter({ origin: 'https://first.example', uid: 'bob' }, START_MS).allowed).toBe(
      false,
    )
    breakers.enter({ origin: 'https://one-more.example', uid: 'bob' }, START_MS)
    expect(breakers.enter({ origin: 'https://first.example', uid: 'bob' }, START_MS).allowed).toBe(
      false,
    )
    expect(breakers.enter({ origin: 'https://second.example', uid: 'bob' }, START_MS).allowed).toBe(
      true,
    )
  })

  test('holds 5,000 pairs of origin and user, and forgets the least recently used', () => {
    const breakers = makeCircuitBreakers()
    const origin = 'https://first.example'
    const ask = (uid: string) => breakers.enter({ origin, uid }, START_MS)
    for (let turn = 0; turn < 10; turn += 1) {
      const entered = ask('ada')
      if (entered.allowed) entered.done(START_MS, 'fails')
    }
    for (let nth = 1; nth < CALLERS_MAX; nth += 1) ask(`u${nth}`)
    expect(CALLERS_MAX).toBe(5_000)
    expect(ask('ada').allowed).toBe(false)
    for (let nth = 1; nth <= CALLERS_MAX; nth += 1) ask(`v${nth}`)
    expect(ask('ada').allowed).toBe(true)
  })
})
