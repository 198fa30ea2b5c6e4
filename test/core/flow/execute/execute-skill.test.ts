import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import { openBells } from '../../../../core/session/bells.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, type SkillMore } from '../world.ts'

async function ready(more: SkillMore & { credits?: number; tier?: string } = {}) {
  const world = makeWorld()
  const { credits = 100, tier = 'free', ...skill } = more
  const ada = await world.user('ada', { credits, tier })
  await world.skill('sg_weather', skill)
  return { world, ada }
}

describe('a call that succeeds', () => {
  test('answers with its result and what it cost', async () => {
    const { world, ada } = await ready({ price: 0.5 })
    const success = successOf(await run(world, ada, 'sg_weather'))
    expect(success).toEqual({
      callId: expect.stringMatching(/^[A-Za-z0-9_-]{16,64}$/),
      skillId: 'sg_weather',
      source: 'official',
      content: [{ type: 'text', text: '{"sunny":true}' }],
      structuredContent: { sunny: true },
      isError: false,
      credits: { charged: 0.5, refunded: 0, remaining: 99.5 },
      durationMs: 0,
    })
    expect(await world.credits('ada')).toEqual({ free: 99.5, held: 0 })
    expect(world.log.calls).toMatchObject([
      { outcome: 'settled', charged: 500_000, refunded: 0, remaining: 99_500_000, username: 'ada' },
    ])
  })

  test('is answered before anything is settled', async () => {
    const { world, ada } = await ready()
    const { answer, after } = await execute(world, ada, 'sg_weather')
    expect(answer.kind).toBe('success')
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    await runSteps(after)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('costs its price once when it is settled twice', async () => {
    const { world, ada } = await ready()
    const executed = await execute(world, ada, 'sg_weather')
    await runSteps(executed.after)
    await runSteps(executed.after)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('moves no credits when its skill is free', async () => {
    const { world, ada } = await ready({ price: 0, credits: 0 })
    expect(successOf(await run(world, ada, 'sg_weather')).credits).toEqual({
      charged: 0,
      refunded: 0,
      remaining: 0,
    })
    expect(world.log.calls).toMatchObject([{ outcome: 'free' }])
  })

  test('may cost all the credits that are left', async () => {
    const { world, ada } = await ready({ price: 2, credits: 2 })
    expect(successOf(await run(world, ada, 'sg_weather')).credits.remaining).toBe(0)
  })

  test('sends the arguments to the upstream', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const { world, ada } = await ready({ parameters })
    await run(world, ada, 'sg_weather', { args: { city: 'Rome' } })
    expect(world.upstream.requests.map((request) => request.url)).toEqual([
      'https://api.example/sg_weather?city=Rome',
    ])
  })
})

describe('a call that fails', () => {
  test.each([
    ['answers 500', { kind: 'answer', status: 500 }, 'upstream_failed', 502],
    ['answers 404', { kind: 'answer', status: 404 }, 'upstream_failed', 502],
    ['is not reachable', { kind: 'unreachable' }, 'upstream_failed', 502],
    ['is reached by a faulty adapter', { kind: 'throw' }, 'upstream_failed', 502],
    ['hangs', { kind: 'hang' }, 'timed_out', 504],
    ['hangs and does not obey', { kind: 'deaf' }, 'timed_out', 504],
  ] as const)(
    'whose upstream %s is refunded before the answer',
    async (_what, script, code, status) => {
      const { world, ada } = await ready()
      world.upstream.next(script)
      const executed = execute(world, ada, 'sg_weather')
      await world.clock.advance(15_000)
      // The only work left is to keep an excerpt of the answer, which moves no credits.
      const { answer } = await executed
      expect(problemIn(answer)).toMatchObject({
        code,
        status,
        credits: { charged: 1, refunded: 1, remaining: 100 },
      })
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
      expect(world.log.calls).toMatchObject([{ outcome: 'refunded', code, remaining: 100_000_000 }])
      expect(world.clock.sleepers()).toBe(0)
    },
  )

  test.each(['its URL names a private host; use a public one', 'header "x-a": cannot be sent'])(
    'says why its target was refused, in one sentence: %s',
    async (detail) => {
      const { world, ada } = await ready()
      world.upstream.next({ kind: 'refused_target', detail })
      const told = problemIn(await run(world, ada, 'sg_weather')).detail
      expect(told).toBe(`The upstream could not be reached: ${detail}.`)
    },
  )

  test('says in one sentence why its upstream was not reached', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'unreachable' })
    const detail = problemIn(await run(world, ada, 'sg_weather')).detail
    expect(detail).toBe('The upstream could not be reached: it refused the connection.')
  })

  test('names no refund when its skill is free', async () => {
    const { world, ada } = await ready({ price: 0 })
    world.upstream.next({ kind: 'unreachable' })
    expect(problemIn(await run(world, ada, 'sg_weather')).credits).toEqual({
      charged: 0,
      refunded: 0,
      remaining: 100,
    })
  })
})

describe('the time and the credits of a call', () => {
  async function cutAfter(timeoutMs: number | undefined, terms?: { deadlineMs: number }) {
    const config = timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }
    const { world, ada } = await ready({ config })
    world.upstream.next({ kind: 'hang' })
    const calling = terms === undefined ? {} : { terms: { callId: 'c'.repeat(43), ...terms } }
    const executed = execute(world, ada, 'sg_weather', calling)
    let cutAtMs = 0
    void executed.then(() => {
      cutAtMs = world.clock.nowMs()
    })
    await world.clock.advance(20_000)
    return cutAtMs - START_MS
  }

  test('the upstream of a call has 14.25 s for a REST caller', async () => {
    expect(await cutAfter(undefined)).toBe(14_250)
  })

  test('a call may take 15 s while the store does not say whether it was voided', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'hang' })
    const find = () => new Promise<never>(() => {})
    const ledger = { ...world.ports.ledger, find }
    const executed = execute(world, ada, 'sg_weather', { ledger })
    await world.clock.advance(15_000)
    const { answer } = await executed
    expect(problemIn(answer)).toMatchObject({ code: 'timed_out' })
  })

  test('a call may take as long as its skill says', async () => {
    expect(await cutAfter(2_000)).toBe(2_000)
  })

  test('a call may take until 750 ms before the deadline of our own functions', async () => {
    expect(await cutAfter(undefined, { deadlineMs: START_MS + 15_000 })).toBe(14_250)
    expect(await cutAfter(undefined, { deadlineMs: START_MS + 4_000 })).toBe(3_250)
    expect(await cutAfter(1_000, { deadlineMs: START_MS + 4_000 })).toBe(1_000)
  })

  test('a call whose moment has passed takes no time: nothing is held, no upstream is called', async () => {
    const { world, ada } = await ready()
    const at = (deadlineMs: number, callId: string) =>
      run(world, ada, 'sg_weather', { terms: { callId: callId.repeat(43), deadlineMs } })
    expect(problemIn(await at(START_MS + 750, 'a'))).toMatchObject({ code: 'timed_out' })
    expect([world.upstream.requests.length, await world.credits('ada')]).toEqual([
      0,
      { free: 100, held: 0 },
    ])
    expect(successOf(await at(START_MS + 751, 'b')).isError).toBe(false)
  })

  test('a call takes no longer than its caller waits', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'hang' })
    const departure = new AbortController()
    const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
    await world.clock.advance(1_000)
    departure.abort()
    await world.clock.settle()
    const { answer } = await executed
    expect(problemIn(answer)).toMatchObject({ code: 'cancelled', credits: { refunded: 1 } })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('a call ends when the store tells of its void', async () => {
    const { world, ada } = await ready()
    const bells = openBells()
    world.ports.changes = { listen: bells.hear }
    world.upstream.next({ kind: 'hang' })
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.settle()
    const [callId = ''] = Object.keys((await world.ports.profiles.read('ada'))?.holds ?? {})
    okOf(await voidCall(world.ports, { uid: 'ada', callId, reason: 'cancelled' }))
    bells.ring(`call:${callId}`)
    await world.clock.settle()
    expect(problemIn((await executed).answer).code).toBe('cancelled')
    expect(world.clock.sleepers()).toBe(0)
  })

  test('a call of a caller that had left before it began takes no credits', async () => {
    const { world, ada } = await ready()
    const answer = await run(world, ada, 'sg_weather', { gone: AbortSignal.abort() })
    expect(problemIn(answer).code).toBe('cancelled')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a caller that is refused', () => {
  test.each([
    ['without a key', undefined, 'is missing'],
    ['with an unknown key', `Bearer sgk_${'a'.repeat(43)}`, 'unknown or expired'],
    ['with a token that is not a key', 'Bearer x', 'not a Skillgate API key'],
  ])('a caller %s is refused', async (_what, header, why) => {
    const { world } = await ready()
    const { answer, headers } = await execute(world, header, 'sg_weather')
    expect(problemIn(answer)).toMatchObject({ code: 'unauthenticated', status: 401 })
    expect(problemIn(answer).detail).toContain(why)
    expect(headers).toEqual({})
    expect(world.upstream.requests).toEqual([])
  })

  test('a caller with the key of a user who no longer exists is refused', async () => {
    const { world, ada } = await ready()
    const { read } = world.ports.callLookup
    world.ports.callLookup = {
      read: async (query) => ({ ...(await read(query)), profile: undefined }),
    }
    const nothing = { profile: undefined, credits: undefined, tier: undefined }
    world.ports.v0 = { ...world.ports.v0, read: async () => nothing }
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('unauthenticated')
  })

  test('a caller with fewer credits than the price is refused', async () => {
    const { world, ada } = await ready({ price: 1, credits: 0.999999 })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem).toMatchObject({ code: 'insufficient_credits', status: 402 })
    expect(problem.detail).toContain('costs 1 credit, and the balance is 0.999999.')
    expect(world.upstream.requests).toEqual([])
    expect(world.log.calls).toMatchObject([{ outcome: 'refused', code: 'insufficient_credits' }])
  })
})

describe('the limits of a user', () => {
  test('a user may make 60 calls a minute, and the 61st is refused until the minute is over', async () => {
    const { world, ada } = await ready({ price: 0 })
    for (let n = 1; n <= 60; n += 1) {
      expect((await execute(world, ada, 'sg_weather')).answer.kind).toBe('success')
    }
    const { answer, headers } = await execute(world, ada, 'sg_weather')
    expect(problemIn(answer)).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterSec: 40,
    })
    expect(headers).toEqual({
      ratelimit: '"minute";r=0;t=40',
      'ratelimit-policy': '"minute";q=60;w=60',
      'retry-after': '40',
    })
    expect(world.upstream.requests).toHaveLength(60)
    world.clock.jump(40_000)
    expect((await execute(world, ada, 'sg_weather')).answer.kind).toBe('success')
  })

  test('a user may make as many calls a minute as the tier allows, with rate limit headers on every answer', async () => {
    const { world, ada } = await ready({ tier: 'small' })
    const { headers } = await execute(world, ada, 'sg_nothing')
    expect(headers).toEqual({
      ratelimit: '"minute";r=2;t=40',
      'ratelimit-policy': '"minute";q=3;w=60',
    })
  })

  // Holds: SAFE-3
  test('a user may make as many calls at once as the tier allows, and one more is refused until one ends', async () => {
    const { world, ada } = await ready({ tier: 'small' })
    world.upstream.always({ kind: 'answer', afterMs: 5_000 })
    const [one, two] = [execute(world, ada, 'sg_weather'), execute(world, ada, 'sg_weather')]
    await world.clock.settle()
    const third = problemIn((await execute(world, ada, 'sg_weather')).answer)
    expect(third).toMatchObject({ code: 'too_many_holds', status: 429, retryAfterSec: 1 })
    expect(third.detail).toContain('This user has 2 calls in flight')
    await world.clock.advance(5_000)
    await runSteps((await one).after)
    await runSteps((await two).after)
    world.upstream.always({ kind: 'answer' })
    await world.clock.advance(60_000)
    expect((await execute(world, ada, 'sg_weather')).answer.kind).toBe('success')
  })
})

describe('the skill that a name means', () => {
  test('a name without a skill is answered with 404 and the name', async () => {
    const { world, ada } = await ready()
    const problem = problemIn(await run(world, ada, 'sg_"x"'))
    expect(problem).toMatchObject({ code: 'unknown_skill', status: 404 })
    expect(problem.detail).toContain('sg_\\"x\\"')
  })

  // Holds: SAFE-1
  test('a skill answers 422 with a place for each fault when the arguments do not fit', async () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    }
    const { world, ada } = await ready({ parameters })
    const problem = problemIn(await run(world, ada, 'sg_weather', { args: { days: 'two' } }))
    expect(problem).toMatchObject({ code: 'invalid_arguments', status: 422 })
    expect(problem.errors?.map((fault) => fault.pointer)).toEqual(expect.arrayContaining(['/days']))
    expect(problem.errors?.length).toBeGreaterThanOrEqual(2)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test("is the caller's private one, then the official one, then the market's", async () => {
    const { world, ada } = await ready({ source: 'market', price: 1 })
    const bob = await world.user('bob')
    const source = async (who: string) => successOf(await run(world, who, 'sg_weather')).source
    expect(await source(ada)).toBe('market')
    await world.skill('sg_weather', { price: 2 })
    expect(await source(ada)).toBe('official')
    await world.skill('sg_weather', { price: 3, source: 'private', uid: 'ada' })
    expect([await source(ada), await source(bob)]).toEqual(['private', 'official'])
    expect([await world.credits('ada'), await world.credits('bob')]).toEqual([
      { free: 94, held: 0 },
      { free: 98, held: 0 },
    ])
  })

  test.each(['sg_mine', 'mine', 'ada_sg_mine', 'ada_mine'])(
    'is a private skill by any of its names: %s',
    async (name) => {
      const { world, ada } = await ready()
      await world.skill('sg_mine', { source: 'private', uid: 'ada' })
      const answer = await run(world, ada, name)
      if (name === 'ada_mine') expect(problemIn(answer).code).toBe('unknown_skill')
      else expect(successOf(answer).skillId).toBe('sg_mine')
    },
  )

  test('is an official skill with or without the prefix', async () => {
    const { world, ada } = await ready()
    expect(successOf(await run(world, ada, 'weather')).skillId).toBe('sg_weather')
  })

  // Holds: SAFE-2
  test('is never the private skill of another user', async () => {
    const { world } = await ready()
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const bob = await world.user('bob')
    for (const name of ['sg_mine', 'ada_sg_mine']) {
      expect(problemIn(await run(world, bob, name)).code).toBe('unknown_skill')
    }
  })

  test('is never the private skill of another user with the same name', async () => {
    const { world } = await ready()
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const twin = await world.user('u2', { username: 'ada' })
    expect(problemIn(await run(world, twin, 'ada_sg_mine')).code).toBe('unknown_skill')
  })

  test('is the same for a renamed user, under the old user name and the new one', async () => {
    const { world, ada } = await ready()
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const { read } = world.ports.profiles
    world.ports.profiles = {
      ...world.ports.profiles,
      read: async (uid) => {
        const profile = await read(uid)
        return profile === undefined ? undefined : { ...profile, username: 'lovelace' }
      },
    }
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    for (const name of ['ada_sg_mine', 'lovelace_sg_mine']) {
      expect(successOf(await run(world, ada, name)).skillId).toBe('sg_mine')
    }
  })

  test('is told apart by the tool name when two private skills collide', async () => {
    const { world, ada } = await ready()
    await world.skill('sg_a.b', { source: 'private', uid: 'ada' })
    await world.skill('sg_a:b', { source: 'private', uid: 'ada' })
    const { records } = await world.ports.skills.list({ source: 'private', uid: 'ada', limit: 9 })
    for (const record of records) {
      expect(successOf(await run(world, ada, record.toolName)).skillId).toBe(record.skillId)
    }
    expect(new Set(records.map((record) => record.toolName)).size).toBe(2)
  })

  test('is refused without charge when this build cannot run it', async () => {
    const { world, ada } = await ready({ config: { plugin_hook: 'not_there' } })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem).toMatchObject({ code: 'invalid_skill', status: 422 })
    expect(problem.detail).toContain('not charged')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is refused before money moves when its target is no longer allowed', async () => {
    const { world, ada } = await ready()
    const { read } = world.ports.callLookup
    world.ports.callLookup = {
      read: async (query) => {
        const { profile, candidates } = await read(query)
        const official = candidates.official
        if (official === undefined) return { profile, candidates }
        const config = { endpoint: 'http://10.0.0.1/x', method: 'GET' }
        const definition = { ...official.definition, config }
        return { profile, candidates: { ...candidates, official: { ...official, definition } } }
      },
    }
    expect((await run(world, ada, 'sg_weather')).kind).toBe('problem')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a call id', () => {
  const callId = 'c'.repeat(43)

  test('of a running call is a conflict, and only one call is charged', async () => {
    const { world, ada } = await ready()
    world.upstream.always({ kind: 'answer', afterMs: 1_000 })
    const calling = { terms: { callId, deadlineMs: START_MS + 15_000 } }
    const first = execute(world, ada, 'sg_weather', calling)
    await world.clock.settle()
    const second = await execute(world, ada, 'sg_weather', calling)
    expect(problemIn(second.answer)).toMatchObject({ code: 'conflict', status: 409, callId })
    await world.clock.advance(1_000)
    await runSteps((await first).after)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('that comes again after its call has ended is charged once', async () => {
    const { world, ada } = await ready()
    const calling = { terms: { callId, deadlineMs: START_MS + 15_000 } }
    await run(world, ada, 'sg_weather', calling)
    await run(world, ada, 'sg_weather', calling)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })
})

describe('a store that fails', () => {
  const down = () => Promise.reject(new Fault('store_unavailable', 'down'))

  test('before the hold makes the call throw, and no upstream is called', async () => {
    for (const broken of ['rateCounters', 'callLookup', 'ledger'] as const) {
      const { world, ada } = await ready()
      const names = Object.keys(world.ports[broken])
      const dead = Object.fromEntries(names.map((name) => [name, down]))
      Object.assign(world.ports, { [broken]: dead })
      await expect(execute(world, ada, 'sg_weather')).rejects.toThrow('down')
      expect(world.upstream.requests).toEqual([])
    }
  })

  test('after a success is logged, and the call is free', async () => {
    const { world, ada } = await ready()
    const { after } = await execute(world, ada, 'sg_weather')
    world.ports.ledger = { ...world.ports.ledger, decide: down }
    const again = await execute(world, ada, 'sg_weather')
    await runSteps(again.after)
    await runSteps(after)
    expect(world.log.events()).toContain('settle-failed')
  })

  test('after a failure is logged, and the answer promises the refund that the sweep will make', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'unreachable' })
    world.ports.ledger = { ...world.ports.ledger, decide: down }
    expect(problemIn(await run(world, ada, 'sg_weather')).credits).toEqual({
      charged: 1,
      refunded: 1,
      remaining: 100,
    })
    expect(world.log.events()).toContain('refund-delayed')
  })
})

describe('a skill with a pattern', () => {
  async function stored(field: 'parameters' | 'output_schema', pattern: string) {
    const { world, ada } = await ready()
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_weather' })
    if (record === undefined) throw new Error('not stored')
    const schema = { type: 'object', properties: { text: { type: 'string', pattern } } }
    const meta = { ...Object(record.definition['meta']), [field]: schema }
    await world.ports.skills.put(
      { ...record, definition: { ...record.definition, meta }, version: 2 },
      1,
    )
    return { world, ada }
  }
  const text = `${'a'.repeat(60)}!`
  /** Needs 13 steps for each character. */
  const LONG = '(?<=a)[^]{5}$'
  const long = 'a'.repeat(250_000)

  test('a pattern that would step back for ever elsewhere refuses the argument, calls no upstream and costs nothing', async () => {
    const { world, ada } = await stored('parameters', '^(a+)+$')
    const problem = problemIn(await run(world, ada, 'sg_weather', { args: { text } }))
    const message = 'must match the pattern ^(a+)+$'
    expect(problem).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ pointer: '/text', message: expect.stringContaining(message) }],
    })
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a pattern that takes too many steps on an argument names the argument, calls no upstream and costs nothing', async () => {
    const { world, ada } = await stored('parameters', LONG)
    const problem = problemIn(await run(world, ada, 'sg_weather', { args: { text: long } }))
    expect(problem).toMatchObject({ code: 'invalid_arguments', errors: [{ pointer: '/text' }] })
    expect(problem.errors?.[0]?.message).toContain('takes over 3000000 steps')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a pattern that takes too many steps on the answer shows the answer as text', async () => {
    const { world, ada } = await stored('output_schema', LONG)
    world.upstream.next({ kind: 'answer', body: JSON.stringify({ text: long }) })
    const answer = successOf(await run(world, ada, 'sg_weather', { args: {} }))
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('at /text takes over 3000000 steps') }, {}],
    })
    expect(answer).not.toHaveProperty('structuredContent')
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a pattern that is not checked refuses no argument and no answer', async () => {
    const looks = '^(?:(?!foo).)*$'
    const { world, ada } = await stored('parameters', looks)
    expect(successOf(await run(world, ada, 'sg_weather', { args: { text } })).isError).toBe(false)
    const other = await stored('output_schema', looks)
    other.world.upstream.next({ kind: 'answer', body: JSON.stringify({ text: 'foo' }) })
    const answer = successOf(await run(other.world, other.ada, 'sg_weather', { args: {} }))
    expect(answer).toMatchObject({ isError: false, structuredContent: { text: 'foo' } })
  })
})
