/** Built-in tools over POST /v1/execute: as over MCP, in the shape of an execute answer. */
import { describe, expect, test } from 'vitest'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, type SentRequest } from '../door-client.ts'

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: 10, tier: 'small' })
  await world.skill('sg_sunny', { price: 2, description: 'Says whether the sun shines.' })
  return { world, ada }
}

function send(world: World, skill: string, args: object, key: string | undefined) {
  const headers: SentRequest['headers'] = key === undefined ? {} : { authorization: key }
  const body = { skill, arguments: { ...args } }
  return ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
    headers,
    body,
  })
}

describe('a built-in tool over POST /v1/execute', () => {
  test('answers for free, with the credits that are left and the RateLimit headers', async () => {
    const { ada, world } = await ready()
    const out = await send(world, 'sg_account', {}, ada)
    expect(out.status).toBe(200)
    expect(out.json()).toEqual({
      callId: expect.stringMatching(/^[\w-]{16,64}$/),
      skillId: 'sg_account',
      source: 'built-in',
      content: [{ type: 'text', text: expect.stringContaining('"username":"ada"') }],
      structuredContent: expect.objectContaining({ tier: 'small', credits: 10 }),
      isError: false,
      credits: { charged: 0, refunded: 0, remaining: 10 },
      durationMs: 0,
    })
    expect(out.headers).toMatchObject({
      ratelimit: '"minute";r=2;t=40',
      'ratelimit-policy': '"minute";q=3;w=60',
    })
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  })

  test('searches the tools of the key, and shows the calls of its user', async () => {
    const { ada, world } = await ready()
    await send(world, 'sg_sunny', {}, ada)
    await world.clock.settle()
    const found = await send(world, 'sg_search_skills', { query: 'sun' }, ada)
    expect(found.json()).toMatchObject({ structuredContent: { count: 1 } })
    const usage = await send(world, 'sg_usage', {}, ada)
    expect(usage.json()).toMatchObject({
      structuredContent: { calls: [{ skill: 'sg_sunny', state: 'settled', charged: 2 }] },
    })
  })

  test.each([
    ['sg_account', { a: 1 }, 'arguments: This tool takes no arguments. Send {}.'],
    ['sg_usage', { limit: 0 }, 'arguments: limit: must be a whole number from 1 to 100.'],
    ['sg_search_skills', {}, 'arguments: query: must be a string with at least one word.'],
  ])('the built-in tool %s refuses wrong arguments with 422', async (skill, args, detail) => {
    const { ada, world } = await ready()
    const out = await send(world, skill, args, ada)
    expect([out.status, out.json()['code']]).toEqual([422, 'invalid_arguments'])
    expect(out.json()['detail']).toContain(detail)
  })

  test.each(['sg_account', 'sg_search_skills'])('the tool %s needs a valid key', async (skill) => {
    const { world } = await ready()
    const none = await send(world, skill, { query: 'sun' }, undefined)
    expect([none.status, none.json()['detail']]).toEqual([
      401,
      'Authorization: is missing. Send Authorization: Bearer <API key>.',
    ])
    const unknown = await send(world, skill, { query: 'sun' }, `Bearer sgk_${'x'.repeat(43)}`)
    expect([unknown.status, unknown.json()['code']]).toEqual([401, 'unauthenticated'])
  })

  test('counts in the minute of the key, with its skill calls', async () => {
    const { ada, world } = await ready()
    const statuses: number[] = []
    for (const skill of ['sg_account', 'sg_sunny', 'sg_account', 'sg_account']) {
      statuses.push((await send(world, skill, {}, ada)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    const out = await send(world, 'sg_account', {}, ada)
    expect([out.json()['code'], out.headers['retry-after']]).toEqual(['rate_limited', '40'])
  })
})
