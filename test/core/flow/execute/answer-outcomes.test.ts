/** Money and answers of calls whose skill says which answers are failures, and which are results. */
import { describe, expect, test } from 'vitest'
import { sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { call, openStream } from '../client.ts'
import { makeWorld, okOf } from '../world.ts'
import { worldWith } from './calls-with-secrets.ts'

const WHOLE = { free: 100, held: 0 }
const PAID = { free: 99, held: 0 }
const FAIL_IF = { fail_if: { pointer: '/ok', equals: false } }
const REFUSAL = { kind: 'answer', body: '{"ok":false,"why":"no such city"}' } as const
const TERMS = { callId: `1q6kkk800-${'a'.repeat(22)}`, deadlineMs: Number.MAX_SAFE_INTEGER }

describe('a 200 that the skill calls a failure', () => {
  test('is refunded once, and its outcome says so', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.next(REFUSAL)
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem).toMatchObject({
      status: 502,
      code: 'upstream_failed',
      detail: expect.stringContaining('/ok is false'),
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
    expect(await world.credits('ada')).toEqual(WHOLE)
    const { outcomes } = await world.ports.ledger.list({ uid: 'ada', limit: 10 })
    expect(outcomes).toMatchObject([
      { state: 'refunded', reason: 'upstream_failed', upstreamStatus: 200, amount: 1_000_000 },
    ])
  })

  test('has its credits back before the answer says so', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.next(REFUSAL)
    const { answer } = await execute(world, ada, 'sg_weather')
    expect(answer.kind).toBe('problem')
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('gives nothing back twice: not to a second attempt, a void or a sweep', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.always(REFUSAL)
    const { callId } = TERMS
    await run(world, ada, 'sg_weather', { terms: TERMS })
    await run(world, ada, 'sg_weather', { terms: TERMS })
    okOf(await voidCall(world.ports, { uid: 'ada', callId, reason: 'void' }))
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual(WHOLE)
    const { outcomes } = await world.ports.ledger.list({ uid: 'ada', limit: 10 })
    expect(outcomes).toHaveLength(1)
  })

  test('is kept for its Idempotency-Key: the repeat neither asks the upstream nor pays', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.next(REFUSAL)
    const first = problemIn(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
    const second = problemIn(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
    expect(second).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('opens no breaker, since the upstream works', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.always(REFUSAL)
    for (let call = 0; call < 20; call += 1) await run(world, ada, 'sg_weather')
    expect(world.upstream.requests).toHaveLength(20)
  })

  test('an answer that the skill does not call a failure is charged', async () => {
    const { world, ada } = await worldWith({ response: FAIL_IF })
    world.upstream.next({ kind: 'answer', body: '{"ok":true}' })
    successOf(await run(world, ada, 'sg_weather'))
    expect(await world.credits('ada')).toEqual(PAID)
  })
})

describe('a 404 that the skill calls an answer', () => {
  const OK_404 = { ok_statuses: [404], show_headers: ['link'] }
  const NOT_FOUND = {
    kind: 'answer',
    status: 404,
    body: '{"message":"Not Found"}',
    headers: { link: '</help>; rel="help"', 'set-cookie': 's=1' },
  } as const

  test('is charged, settled with its status, and shown in text and structured content', async () => {
    const { world, ada } = await worldWith({ response: OK_404 })
    world.upstream.next(NOT_FOUND)
    expect(successOf(await run(world, ada, 'sg_weather'))).toMatchObject({
      content: [
        { type: 'text', text: '{"message":"Not Found"}' },
        { type: 'text', text: 'HTTP status: 404\nlink: </help>; rel="help"' },
      ],
      structuredContent: {
        message: 'Not Found',
        _http: { status: 404, headers: { link: '</help>; rel="help"' } },
      },
      credits: { charged: 1, refunded: 0, remaining: 99 },
    })
    expect(await world.credits('ada')).toEqual(PAID)
    const { outcomes } = await world.ports.ledger.list({ uid: 'ada', limit: 10 })
    expect(outcomes).toMatchObject([{ state: 'settled', upstreamStatus: 404 }])
  })

  test('is refunded by a skill that says nothing of it', async () => {
    const { world, ada } = await worldWith({})
    world.upstream.next(NOT_FOUND)
    problemIn(await run(world, ada, 'sg_weather'))
    expect(await world.credits('ada')).toEqual(WHOLE)
  })
})

describe('an answer outside of the output schema', () => {
  const OUTSIDE = { kind: 'answer', status: 201, body: '{"id":7,"note":null}' } as const
  const SHOWN = {
    isError: true,
    content: [
      {
        type: 'text',
        text: 'The service did the work and answered 201, but its answer does not fit the output schema of this tool: at /note must be of type string. The whole answer follows as text. Do not call again to repeat the work.',
      },
      { type: 'text', text: '{"id":7,"note":null}' },
    ],
  }

  async function creating() {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather', {
      config: { method: 'POST' },
      outputSchema: { type: 'object', properties: { note: { type: 'string' } } },
    })
    world.upstream.always(OUTSIDE)
    return { world, ada }
  }

  test('is shown, charged and noted, without structured content', async () => {
    const { world, ada } = await creating()
    const success = successOf(await run(world, ada, 'sg_weather'))
    expect(success).toMatchObject({
      ...SHOWN,
      credits: { charged: 1, refunded: 0, remaining: 99 },
    })
    expect(success).not.toHaveProperty('structuredContent')
    expect(await world.credits('ada')).toEqual(PAID)
    expect(world.log.notes.map(({ event }) => event)).toContain('answer-outside-schema')
  })

  test('is kept for its Idempotency-Key: the work is done once', async () => {
    const { world, ada } = await creating()
    const first = successOf(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
    const second = successOf(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
    expect(second).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual(PAID)
  })

  test('reaches a model whole over HTTP+SSE', async () => {
    const { world, ada } = await creating()
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(250)
    expect(stream.withId(1)[0]).toMatchObject({ result: SHOWN })
  })
})

describe('a request whose answer is lost', () => {
  const WARNING = 'The service may have done the work anyway: check that before you call again.'

  test.each([
    ['the connection ended before it', { kind: 'dropped' }, 'POST', true],
    ['the connection ended within it', { kind: 'dropped', hasPartialAnswer: true }, 'PATCH', true],
    ['it is too large', { kind: 'too_large' }, 'DELETE', true],
    ['it is not valid HTTP', { kind: 'unreadable' }, 'PUT', true],
    ['no connection was made', { kind: 'unreachable' }, 'POST', false],
    ['the connection ended before it', { kind: 'dropped' }, 'GET', false],
  ] as const)(
    'since %s is refunded; the warning of a %o by %s is %s',
    async (_why, script, method, isWarned) => {
      const { world, ada } = await worldWith({ method })
      world.upstream.always(script)
      const problem = problemIn(await run(world, ada, 'sg_weather'))
      expect(problem.detail.includes(WARNING)).toBe(isWarned)
      expect(problem).not.toHaveProperty('mayHaveRun')
      expect(await world.credits('ada')).toEqual(WHOLE)
    },
  )
})

test('a number that a double would change is the same in the first answer and in the kept one', async () => {
  const { world, ada } = await worldWith({})
  const body = '{"id":9007199254740993}'
  world.upstream.always({ kind: 'answer', body })
  const first = successOf(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
  const kept = successOf(await run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' }))
  expect(first).toMatchObject({ content: [{ type: 'text', text: body }], isError: false })
  expect(first).not.toHaveProperty('structuredContent')
  expect(kept).toEqual(first)
})
