/** What a model is told to do after its upstream gave no result, by the class of the failure. */
import { describe, expect, test } from 'vitest'
import type { FailureClass } from '../../../../core/errors.ts'
import { problemIn, run } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import type { Script } from '../doubles.ts'
import { BEARER, setFor, worldWith } from './calls-with-secrets.ts'

const answer = (
  status: number,
  more: Partial<Extract<Script, { kind: 'answer' }>> = {},
): Script => ({
  kind: 'answer',
  status,
  ...more,
})

const CASES: readonly (readonly [string, Script, FailureClass, string])[] = [
  ['401', answer(401), 'access_denied', 'This tool sends the service no secret.'],
  ['403', answer(403), 'access_denied', 'This tool sends the service no secret.'],
  ['429 with a wait', answer(429, { retryAfter: '42' }), 'busy', 'Wait 42 s, then call again.'],
  ['429 without one', answer(429), 'busy', 'Wait a minute, then call again.'],
  ['503 with a wait', answer(503, { retryAfter: '9' }), 'busy', 'Wait 9 s, then call again.'],
  ['no connection', { kind: 'unreachable' }, 'unreachable', 'Call again in a few minutes;'],
  [
    'a target that is not allowed',
    { kind: 'refused_target', detail: 'its address is private' },
    'unreachable',
    'if it stays so, tell the user',
  ],
  [
    'an answer that is not valid HTTP',
    { kind: 'unreadable' },
    'unreadable',
    'Calling again does not help',
  ],
  ['an answer over the limit', { kind: 'too_large' }, 'too_large', 'Ask for less at once'],
  [
    'an answer that is no JSON',
    answer(200, { body: '<p>Hello</p>', mediaType: 'application/json' }),
    'unreadable',
    'The service and the definition of this tool do not fit.',
  ],
]

describe('a call whose upstream fails', () => {
  test.each(CASES)(
    'by %s is of its class, with the advice of that class',
    async (_title, script, fault, advice) => {
      const { world, ada } = await worldWith({ response: { as: 'json' } })
      world.upstream.always(script)
      expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({
        code: 'upstream_failed',
        upstreamFault: fault,
      })
      const stream = await openStream(world, ada)
      await stream.post(call(1, 'sg_weather'))
      await world.clock.advance(250)
      const text = textOf(stream.withId(1)[0])
      expect(text).toContain(advice)
      expect(text).not.toContain('Check the arguments')
      expect(text).toContain('The call costs nothing')
    },
  )

  test.each([401, 403])(
    'with %i after a stored secret was sent says whose secret to set anew',
    async (status) => {
      const { world, ada } = await worldWith(BEARER)
      await setFor(world, 'ada', { API_KEY: 'ada-key-value' })
      world.upstream.always(answer(status))
      const problem = problemIn(await run(world, ada, 'sg_weather'))
      expect(problem.upstreamFault).toBe('secret_rejected')
      const stream = await openStream(world, ada)
      await stream.post(call(1, 'sg_weather'))
      await world.clock.advance(250)
      const text = textOf(stream.withId(1)[0])
      expect(text).toContain('The stored secret is not accepted for this. Tell the user')
      expect(text).not.toContain('Check the arguments')
    },
  )

  test.each([400, 404, 422, 500])(
    'a failure with %i advises to check the arguments',
    async (status) => {
      const { world, ada } = await worldWith({})
      world.upstream.always(answer(status))
      expect(problemIn(await run(world, ada, 'sg_weather')).upstreamFault).toBeUndefined()
      const stream = await openStream(world, ada)
      await stream.post(call(1, 'sg_weather'))
      await world.clock.advance(250)
      expect(textOf(stream.withId(1)[0])).toContain('Check the arguments')
    },
  )

  test('with an output that breaks its schema is told that the definition does not fit', async () => {
    const { world, ada } = await worldWith({ response: { pick: '/nowhere' } })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem.upstreamFault).toBe('unreadable')
  })

  test('with 404 that the skill takes as an answer and calls a failure is of the class reported', async () => {
    const response = { ok_statuses: [404], fail_if: { contains: 'closed' } }
    const { world, ada } = await worldWith({ response })
    world.upstream.always(answer(404, { body: '"closed"', mediaType: 'application/json' }))
    expect(problemIn(await run(world, ada, 'sg_weather')).upstreamFault).toBe('reported')
  })

  test('with 200 that the skill calls a failure is told what was reported, not to check the arguments', async () => {
    const { world, ada } = await worldWith({
      response: { fail_if: { pointer: '/ok', equals: false } },
    })
    world.upstream.always(
      answer(200, { body: '{"ok":false,"why":"closed"}', mediaType: 'application/json' }),
    )
    expect(problemIn(await run(world, ada, 'sg_weather')).upstreamFault).toBe('reported')
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(250)
    const text = textOf(stream.withId(1)[0])
    expect(text).toContain('response.fail_if of the skill calls a failure: /ok')
    expect(text).toContain('It said: {"ok":false,"why":"closed"}')
    expect(text).toContain('The service itself reported this error. Change what it names')
    expect(text).toContain('The call costs nothing')
    expect(text).not.toContain('Check the arguments')
    expect(text).not.toContain('try once more')
  })

  test('passes the wait on in Retry-After of POST /v1/execute', async () => {
    const { world, ada } = await worldWith({})
    world.upstream.always(answer(429, { retryAfter: '42' }))
    expect(problemIn(await run(world, ada, 'sg_weather')).retryAfterSec).toBe(42)
  })
})
