import { describe, expect, test } from 'vitest'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import type { Script } from '../doubles.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, skillJson, type World } from '../world.ts'

const DOWN: Script = { kind: 'answer', status: 503 }
const BUSY: Script = { kind: 'answer', status: 429, retryAfter: '2' }
const WHOLE = { free: 100, held: 0 }

/** A world with one skill that costs a credit; no jitter unless given. */
async function ready(config: JsonObject, jitter = 'A') {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { config })
  const { token } = world.ports.ids
  world.ports.ids = { token: (bytes) => (bytes === 1 ? `${jitter}A` : token(bytes)) }
  return { world, ada }
}

/** The time of each send, in ms from the first one. */
function sent(world: World): readonly number[] {
  return world.upstream.sentAtMs.map((atMs) => atMs - START_MS)
}

describe('a send that is made again', () => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'a failed %s is sent again twice at most',
    async (method) => {
      const { world, ada } = await ready({ method, retries: 2 })
      world.upstream.always(DOWN)
      const problem = problemIn(await run(world, ada, 'sg_weather'))
      expect(problem.detail).toContain('The upstream answered 503')
      expect(sent(world)).toEqual([0, 100, 300])
      expect(world.upstream.requests.map((request) => request.method)).toEqual(
        Array(3).fill(method),
      )
      expect(await world.credits('ada')).toEqual(WHOLE)
    },
  )

  test.each([
    ['GET', 3],
    ['HEAD', 3],
    ['PUT', 3],
    ['DELETE', 3],
    ['POST', 1],
    ['PATCH', 1],
  ])('the method %s is sent %i times unless the skill says otherwise', async (method, times) => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const text = JSON.stringify(skillJson('sg_weather', { config: { method } }))
    const mute = { text: text.replace(/,"retries":0/, ''), source: undefined, uid: undefined }
    okOf(await syncSkill(world.ports, world.settings, { ...mute, list: 'now' }))
    world.upstream.always(DOWN)
    await run(world, ada, 'sg_weather')
    expect(world.upstream.requests).toHaveLength(times)
  })

  test('a failed POST is sent again if the skill says so, and the second answer counts', async () => {
    const { world, ada } = await ready({ method: 'POST', retries: 1 })
    world.upstream.next(DOWN)
    expect(successOf(await run(world, ada, 'sg_weather')).credits.charged).toBe(1)
    expect(sent(world)).toEqual([0, 100])
    expect(world.log.calls).toMatchObject([{ outcome: 'settled', upstreamMs: 100 }])
  })

  test('a send is made again unchanged, with the same body and headers', async () => {
    const { world, ada } = await ready({ method: 'PUT', retries: 1, headers: { 'x-a': 'b' } })
    world.upstream.next({ kind: 'unreachable' })
    await run(world, ada, 'sg_weather', { args: { city: 'Oslo' } })
    const [first, second] = world.upstream.requests
    expect(first?.body).toBe('{"city":"Oslo"}')
    expect(second).toEqual(first)
  })

  test.each<[string, Script]>([
    ['429 with the time to wait', BUSY],
    ['502', { kind: 'answer', status: 502 }],
    ['503', DOWN],
    ['504', { kind: 'answer', status: 504 }],
    ['no connection', { kind: 'unreachable' }],
  ])('a send is made again after %s', async (_what, script) => {
    const { world, ada } = await ready({ retries: 1 })
    world.upstream.next(script)
    successOf(await run(world, ada, 'sg_weather'))
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('a send is made again after a pause with jitter, up to twice as long', async () => {
    const { world, ada } = await ready({ retries: 2 }, '_')
    world.upstream.always(DOWN)
    await run(world, ada, 'sg_weather')
    expect(sent(world)).toEqual([0, 198.4375, 595.3125])
  })

  test('a send is made again after the time that the upstream asks for', async () => {
    const { world, ada } = await ready({ retries: 2 })
    world.upstream.next(BUSY, { ...DOWN, retryAfter: '3' })
    successOf(await run(world, ada, 'sg_weather'))
    expect(sent(world)).toEqual([0, 2_000, 5_000])
  })
})

describe('a send that is not made again', () => {
  test.each<[string, Script]>([
    ['429 without a time', { kind: 'answer', status: 429 }],
    ['500', { kind: 'answer', status: 500 }],
    ['404', { kind: 'answer', status: 404 }],
    ['a success that cannot be read', { kind: 'answer', body: '\u0000', mediaType: 'image/png' }],
    ['an answer too large', { kind: 'too_large' }],
    ['an answer that broke off', { kind: 'dropped', hasPartialAnswer: true }],
    ['a refused target', { kind: 'refused_target', detail: 'its URL is private' }],
    ['a bug of the adapter', { kind: 'throw' }],
  ])('a send is not made again after %s', async (_what, script) => {
    const { world, ada } = await ready({ retries: 2 })
    world.upstream.always(script)
    await run(world, ada, 'sg_weather')
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('a send is not made again when the skill sets retries to 0', async () => {
    const { world, ada } = await ready({ retries: 0 })
    world.upstream.always(DOWN)
    await run(world, ada, 'sg_weather')
    expect(sent(world)).toEqual([0])
  })

  test('a send is not made again when the deadline would cut the pause that the upstream asks for', async () => {
    const { world, ada } = await ready({ retries: 2, timeout_ms: 2_249 })
    world.upstream.always(BUSY)
    expect(problemIn(await run(world, ada, 'sg_weather')).detail).toContain('answered 429')
    expect(sent(world)).toEqual([0])
    expect(world.clock.nowMs()).toBeLessThan(START_MS + 2_000)
  })

  test('a send is made again when the pause fits its deadline to the millisecond', async () => {
    const { world, ada } = await ready({ retries: 2, timeout_ms: 2_250 })
    world.upstream.next(BUSY)
    successOf(await run(world, ada, 'sg_weather'))
    expect(sent(world)).toEqual([0, 2_000])
  })

  test('a send is not made again when its own time is over, since retries count within the deadline', async () => {
    const { world, ada } = await ready({ retries: 2, timeout_ms: 1_000 })
    world.upstream.always({ ...DOWN, afterMs: 600 })
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.advance(1_000)
    const problem = problemIn((await executed).answer)
    expect(problem).toMatchObject({ code: 'timed_out', credits: { refunded: 1 } })
    expect(sent(world)).toEqual([0, 700])
    expect(world.upstream.cuts()).toBe(1)
    expect(world.clock.sleepers()).toBe(0)
  })
})

describe('a call that is cut between two sends', () => {
  test('by its caller sends nothing more and does not sleep on', async () => {
    const { world, ada } = await ready({ retries: 2 })
    world.upstream.always({ ...DOWN, retryAfter: '5' })
    const departure = new AbortController()
    const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
    await world.clock.advance(1_000)
    departure.abort()
    await world.clock.settle()
    expect(problemIn((await executed).answer)).toMatchObject({
      code: 'cancelled',
      credits: { refunded: 1 },
    })
    expect(world.clock.sleepers()).toBe(0)
    await world.clock.advance(20_000)
    expect(sent(world)).toEqual([0])
    expect(await world.credits('ada')).toEqual(WHOLE)
  })
})
