import { describe, expect, test } from 'vitest'
import { err, ok } from '../../../../core/errors.ts'
import type { Hooks } from '../../../../core/ports/registry.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { setFor, worldWith } from './calls-with-secrets.ts'
import { HOOKED, hookWith, refuses, throws } from './scripted-hooks.ts'

const WHOLE = { free: 100, held: 0 }
const PAID = { free: 99, held: 0 }
const again: Hooks['after'] = async () => ok('again')

describe('a hook', () => {
  test('changes the request before it is sent, and the answer that comes back', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, {
      before: async (_name, request) => ok({ ...request, url: `${request.url}?signed` }),
      after: async (_name, response) => ok({ ...response, body: Buffer.from('{"a":"hook"}') }),
    })
    const { structuredContent } = successOf(await run(world, ada, 'sg_weather'))
    expect(structuredContent).toEqual({ a: 'hook' })
    expect(world.upstream.requests[0]?.url).toBe('https://api.example/sg_weather?signed')
    expect(await world.credits('ada')).toEqual(PAID)
  })

  test('gets the user, its options and its secrets in one context for the whole round', async () => {
    const { world, ada } = await worldWith({})
    await setFor(world, 'ada', { CLIENT: 'the-client' })
    const after: unknown[] = []
    const { contexts } = hookWith(world, {
      secretNames: () => ['CLIENT'],
      after: async (_name, response, context) => {
        after.push(context)
        return ok(response)
      },
    })
    const config = { ...HOOKED, plugin_options: { scope: 'all' } }
    await world.skill('sg_weather', { config })
    await run(world, ada, 'sg_weather')
    const [context] = contexts
    expect(context).toMatchObject({ uid: 'ada', skillId: 'sg_weather', options: { scope: 'all' } })
    expect([...(context?.secrets ?? [])]).toEqual([['CLIENT', 'the-client']])
    expect(after[0]).toBe(context)
  })

  test('runs once for all retries of a round', async () => {
    const { world, ada } = await worldWith({ ...HOOKED, retries: 2 })
    const { contexts } = hookWith(world, {})
    world.upstream.next({ kind: 'answer', status: 503 }, { kind: 'unreachable' })
    successOf(await run(world, ada, 'sg_weather'))
    expect([contexts.length, world.upstream.requests.length]).toEqual([1, 3])
  })
})

describe('a hook that fails', () => {
  test('before the send sends nothing, gives its own reason, and costs nothing', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { before: refuses })
    expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({
      code: 'upstream_failed',
      detail: 'secret KEY: is not base64; set it again.',
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
    expect(world.upstream.requests).toEqual([])
    expect(world.log.calls).toMatchObject([{ upstreamMs: undefined, outcome: 'refunded' }])
  })

  test('after the answer of the upstream costs nothing', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { after: refuses })
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('upstream_failed')
    expect(world.upstream.requests).toHaveLength(1)
    expect(world.log.calls).toMatchObject([{ upstreamStatus: 200, outcome: 'refunded' }])
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('after the call was cut does not replace the reason of the cut', async () => {
    const { world, ada } = await worldWith({ ...HOOKED, timeout_ms: 1_000 })
    hookWith(world, {
      before: async (_name, request, { signal }) => {
        await world.clock.sleep(60_000, signal)
        return err({ detail: `gave up on ${request.url}` })
      },
    })
    expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({
      code: 'timed_out',
      detail: 'The call was stopped after 1.0 s, before its upstream was called.',
    })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('is not run for a call that was cut while its secrets loaded', async () => {
    const { world, ada } = await worldWith({ ...HOOKED, timeout_ms: 1_000 })
    await setFor(world, 'ada', { CLIENT: 'the-client' })
    const { contexts } = hookWith(world, { secretNames: () => ['CLIENT'] })
    const { find } = world.ports.secrets
    const slow: typeof find = async (of) => world.clock.sleep(2_000).then(() => find(of))
    world.ports.secrets = { ...world.ports.secrets, find: slow }
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('timed_out')
    await world.clock.advance(5_000)
    expect(contexts).toEqual([])
  })

  test('with a secret in its text has the secret masked', async () => {
    const { world, ada } = await worldWith(HOOKED)
    await setFor(world, 'ada', { CLIENT: 'hush-hush-value' })
    hookWith(world, {
      secretNames: () => ['CLIENT'],
      before: async () => err({ detail: 'The endpoint said: no client hush-hush-value.' }),
    })
    const { detail } = problemIn(await run(world, ada, 'sg_weather'))
    expect(detail).toBe('The endpoint said: no client [secret CLIENT].')
  })
})

describe('a hook that throws', () => {
  test.each([
    ['before', { before: throws }],
    ['after', { after: throws }],
  ])(
    '%s the send is a bug of ours: the call is refunded, and the log has its stack without its message',
    async (_when, how) => {
      const { world, ada } = await worldWith(HOOKED)
      hookWith(world, how)
      expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({
        status: 500,
        code: 'internal',
        detail: 'The gateway could not finish the call.',
        credits: { charged: 1, refunded: 1, remaining: 100 },
      })
      expect(await world.credits('ada')).toEqual(WHOLE)
      const [note] = world.log.notes
      expect(note).toMatchObject({ level: 'error', event: 'call-threw' })
      expect(String(note?.cause)).toMatch(/^Error: at .*scripted-hooks\.ts/)
      const logged = note?.cause instanceof Error ? note.cause.stack : ''
      expect([logged, JSON.stringify(note)].join()).not.toContain('hush')
    },
  )

  test('disturbs neither the stream nor its next call', async () => {
    const { world, ada } = await worldWith(HOOKED)
    const hooks = world.ports.hooks
    hookWith(world, { before: throws })
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_weather'))
    world.ports.hooks = hooks
    await stream.post(call(2, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(textOf(stream.withId(1)[0])).toContain('The gateway could not finish the call.')
    expect(textOf(stream.withId(2)[0])).toBe('{"sunny":true}')
    expect(await world.credits('ada')).toEqual(PAID)
  })
})

describe('a hook that asks again', () => {
  test('gets one more round from the start, with a new context', async () => {
    const { world, ada } = await worldWith(HOOKED)
    let rounds = 0
    const { contexts } = hookWith(world, {
      before: async (_name, request) => {
        rounds += 1
        return ok({ ...request, url: `${request.url}/${rounds}` })
      },
      after: async (_name, response) => ok(response.status === 401 ? 'again' : response),
    })
    world.upstream.next({ kind: 'answer', status: 401 })
    successOf(await run(world, ada, 'sg_weather'))
    const urls = world.upstream.requests.map((request) => request.url)
    expect(urls).toEqual(['https://api.example/sg_weather/1', 'https://api.example/sg_weather/2'])
    expect(contexts[0]).not.toBe(contexts[1])
    expect(world.log.calls).toMatchObject([{ upstreamStatus: 200, outcome: 'settled' }])
  })

  test("a second time gets the upstream's error as the answer", async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { after: again })
    world.upstream.always({ kind: 'answer', status: 401, body: '{"error":"no such client"}' })
    const { credits, detail } = problemIn(await run(world, ada, 'sg_weather'))
    expect(detail).toBe('The upstream answered 401. It said: {"error":"no such client"}')
    expect(world.upstream.requests).toHaveLength(2)
    expect(credits).toMatchObject({ refunded: 1 })
  })

  test('a second time after a success is a failure, and nothing is charged', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { after: again })
    const { code, detail } = problemIn(await run(world, ada, 'sg_weather'))
    expect([code, detail]).toEqual([
      'upstream_failed',
      "The upstream answered 200 twice, and the skill's hook could not use either answer.",
    ])
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('has as many retries in both rounds together as one call has', async () => {
    const { world, ada } = await worldWith({ ...HOOKED, retries: 2 })
    hookWith(world, {
      after: async (_name, response) => ok(response.status === 401 ? 'again' : response),
    })
    const down = { kind: 'answer', status: 503 } as const
    world.upstream.next(down, down, { kind: 'answer', status: 401 }, down)
    const { detail } = problemIn(await run(world, ada, 'sg_weather'))
    expect(detail).toContain('answered 503')
    expect(world.upstream.requests).toHaveLength(4)
  })

  test('gets no more round once the caller has left', async () => {
    const { world, ada } = await worldWith(HOOKED)
    const departure = new AbortController()
    hookWith(world, {
      after: async () => {
        departure.abort()
        return ok('again')
      },
    })
    const { answer } = await execute(world, ada, 'sg_weather', { gone: departure.signal })
    expect(problemIn(answer).code).toBe('cancelled')
    await world.clock.advance(20_000)
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('a request of a hook itself', () => {
  const token = {
    method: 'POST',
    url: 'https://login.example/token',
    headers: {},
    body: 'x',
  } as const
  const fetching: Hooks['before'] = async (_name, request, context) => {
    const answer = await context.send(token)
    return answer.kind === 'answered'
      ? ok(request)
      : err({ detail: `No token: ${answer.kind === 'unreachable' ? answer.detail : answer.kind}.` })
  }

  test('counts in the time of the upstream but not as its status', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { before: fetching })
    world.upstream.next(
      { kind: 'answer', status: 201, afterMs: 300 },
      { kind: 'refused_target', detail: 'no' },
    )
    await run(world, ada, 'sg_weather')
    expect(world.log.calls).toMatchObject([{ upstreamMs: 300, upstreamStatus: undefined }])
  })

  test('is cut with its call', async () => {
    const { world, ada } = await worldWith({ ...HOOKED, timeout_ms: 1_000 })
    hookWith(world, { before: fetching })
    world.upstream.next({ kind: 'hang' })
    expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({ code: 'timed_out' })
    expect([world.upstream.cuts(), world.clock.nowMs()]).toEqual([1, START_MS + 1_000])
    await world.clock.advance(20_000)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('has the breaker of its own origin, which does not stop other skills', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, { before: fetching })
    world.upstream.always({ kind: 'unreachable' })
    for (let turn = 0; turn < 10; turn += 1) await run(world, ada, 'sg_weather')
    world.upstream.always({ kind: 'answer' })
    expect(problemIn(await run(world, ada, 'sg_weather')).detail).toBe(
      'No token: has been failing, so no request is sent to it for 15 s.',
    )
    expect(world.upstream.requests).toHaveLength(10)
    await world.skill('sg_other')
    successOf(await run(world, ada, 'sg_other'))
  })

  test('is not sent after the call has ended', async () => {
    const { world, ada } = await worldWith(HOOKED)
    const { contexts } = hookWith(world, {})
    await run(world, ada, 'sg_weather')
    expect(await contexts[0]?.send(token)).toEqual({ kind: 'cut' })
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('has its answer masked in the result where the hook conceals it', async () => {
    const { world, ada } = await worldWith(HOOKED)
    hookWith(world, {
      before: async (_name, request, { conceal }) => {
        conceal('ACCESS_TOKEN', 'tok-0123456789')
        return ok({ ...request, headers: { authorization: 'Bearer tok-0123456789' } })
      },
    })
    world.upstream.next({ kind: 'echo' })
    const success = successOf(await run(world, ada, 'sg_weather'))
    expect(success.structuredContent).toMatchObject({
      headers: { authorization: 'Bearer [secret ACCESS_TOKEN]' },
    })
    expect(JSON.stringify(success)).not.toContain('tok-0123456789')
  })
})
