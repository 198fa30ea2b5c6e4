import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts'
import { run } from '../caller.ts'
import { type AgentStream, call, openStream, request, textOf } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, type World } from '../world.ts'

const SECRET = 'a value that nobody else may read'

async function opened() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { price: 0.5 })
  return { world, ada, stream: await openStream(world, ada) }
}

async function usage(world: World, stream: AgentStream, id: Json, args: JsonObject = {}) {
  await stream.post(call(id, 'sg_usage', args))
  await world.clock.advance(250)
  const [answer] = stream.withId(id)
  const result = answer?.['result']
  const isError = isJsonObject(result) && result['isError'] === true
  return { text: textOf(answer), isError }
}

function callsIn(text: string): readonly JsonObject[] {
  const value: Json = JSON.parse(text)
  const calls = isJsonObject(value) ? value['calls'] : undefined
  return Array.isArray(calls) ? calls.filter(isJsonObject) : []
}

describe('sg_usage', () => {
  test('is listed with its parameters', async () => {
    const { world, stream } = await opened()
    await stream.post(request(1, 'tools/list'))
    await world.clock.advance(250)
    expect(JSON.stringify(stream.withId(1))).toContain('"name":"sg_usage"')
  })

  test('shows the user’s calls with their costs and without their arguments', async () => {
    const { world, ada, stream } = await opened()
    const { body } = await run(world, ada, 'sg_weather', { args: { city: SECRET } })
    const { text, isError } = await usage(world, stream, 1)
    expect(isError).toBe(false)
    expect(callsIn(text)).toEqual([
      {
        call_id: body.callId,
        skill: 'sg_weather',
        source: 'official',
        skill_version: 1,
        state: 'settled',
        amount: 0.5,
        charged: 0.5,
        created_at_ms: START_MS,
        ended_at_ms: START_MS,
        duration_ms: 0,
        upstream_status: 200,
      },
    ])
    expect(text).not.toContain(SECRET)
  })

  test('shows a running call as held, and a refunded one with its reason and no charge', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'unreachable' }, { kind: 'hang' })
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(250)
    await stream.post(call(2, 'sg_weather'))
    await world.clock.advance(250)
    const calls = callsIn((await usage(world, stream, 3)).text)
    expect(calls.map((one) => [one['state'], one['reason'], one['charged']])).toEqual([
      ['held', undefined, 0],
      ['refunded', 'upstream_failed', 0],
    ])
  })

  test('is free, calls no upstream, and shows no calls of other users', async () => {
    const { world, stream } = await opened()
    await run(world, await world.user('bob'), 'sg_weather')
    expect((await usage(world, stream, 1)).text).toBe('{"calls":[]}')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('has 20 calls in a page by default, and goes on with next_cursor', async () => {
    const { world, ada, stream } = await opened()
    for (let n = 0; n < 25; n += 1) {
      await run(world, ada, 'sg_weather')
      await world.clock.advance(10)
    }
    const first = await usage(world, stream, 1)
    expect(callsIn(first.text)).toHaveLength(20)
    const cursor = /"next_cursor":"([\w-]+)"/.exec(first.text)?.[1] ?? ''
    const rest = await usage(world, stream, 2, { cursor })
    expect(callsIn(rest.text)).toHaveLength(5)
    expect(rest.text).not.toContain('next_cursor')
    const ids = callsIn(first.text).concat(callsIn(rest.text))
    expect(new Set(ids.map((one) => one['call_id'])).size).toBe(25)
  })

  test.each([1, 100])('takes a limit of %i', async (limit) => {
    const { world, stream } = await opened()
    expect((await usage(world, stream, 1, { limit })).isError).toBe(false)
  })

  test.each([0, 101, 1.5, -1, '20', null])('refuses a limit of %j and names it', async (limit) => {
    const { world, stream } = await opened()
    const { isError, text } = await usage(world, stream, 1, { limit })
    expect(isError).toBe(true)
    expect(text).toMatch(/^limit: must be a whole number from 1 to 100\./)
  })

  test.each([[7], ['nonsense'], ['']])('refuses the cursor %j', async (cursor) => {
    const { world, stream } = await opened()
    const { isError, text } = await usage(world, stream, 1, { cursor })
    expect(isError).toBe(true)
    expect(text).toMatch(
      /^cursor: must be the next_cursor of an earlier answer, unchanged; leave it out to start at the beginning\. /,
    )
  })

  test('refuses unknown parameters by name', async () => {
    const { world, stream } = await opened()
    const { isError, text } = await usage(world, stream, 1, { uid: 'bob' })
    expect([isError, text.startsWith('Unknown arguments: uid.')]).toEqual([true, true])
  })

  test('needs a key', async () => {
    const world = makeWorld()
    const { isError, text } = await usage(world, await openStream(world, undefined), 1)
    expect([isError, text.includes('API key')]).toEqual([true, true])
  })
})

test('credits that were charged, refunded or healed can be counted by event', async () => {
  const { world, ada } = await opened()
  const { ledger } = world.ports
  const broken = { ...ledger, decide: () => Promise.reject(new Error('the store is away')) }
  await run(world, ada, 'sg_weather', { ledger: broken })
  expect(await world.credits('ada')).toEqual({ free: 99.5, held: 0.5 })
  await world.clock.advance(61_000)
  await run(world, ada, 'sg_weather')
  const counted = world.log.notes.map(({ event, fields, level }) => [
    level,
    event,
    fields['reason'],
  ])
  expect(counted).toEqual([
    ['info', 'stream-opened', undefined],
    ['info', 'agent-connected', undefined],
    ['error', 'settle-failed', undefined],
    ['warn', 'hold-healed', 'crashed'],
  ])
  expect(await world.credits('ada')).toEqual({ free: 99.5, held: 0 })
})
