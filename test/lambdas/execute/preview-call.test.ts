/** The built-in tool sg_preview_call: what an agent is told of a call, and of whose skills. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { executeDoor } from '../../../lambdas/execute/door.ts'
import { BEARER, setFor } from '../../core/flow/execute/calls-with-secrets.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'

const ON = { ...SETTINGS, previewCalls: true }
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

let world: World
let ada: string
let bob: string

beforeEach(async () => {
  world = makeWorld(ON)
  ada = await world.user('ada')
  bob = await world.user('bob', { credits: 1 })
  await world.skill('sg_weather', { config: BEARER, parameters: PARAMETERS, price: 2 })
  await world.skill('sg_mine', { source: 'private', uid: 'ada' })
  await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
})

async function preview(authorization: string | undefined, args: JsonObject) {
  const headers = authorization === undefined ? {} : { authorization }
  const body = { skill: 'sg_preview_call', arguments: args }
  return ask(executeDoor(world.ports, world.settings), 'POST', '/v1/execute', { body, headers })
}

const WEATHER = { tool: 'sg_weather', arguments: { city: 'Oslo' } }

describe('sg_preview_call', () => {
  test('the tool tells price, credits and the masked request, and calls nothing', async () => {
    const out = await preview(ada, WEATHER)
    expect([out.status, out.json()]).toMatchObject([
      200,
      {
        source: 'built-in',
        credits: { charged: 0, remaining: 100 },
        structuredContent: {
          tool: 'sg_weather',
          price: 2,
          credits: 100,
          wouldRun: true,
          problems: [],
          request: { url: 'https://api.example/sg_weather?city=Oslo' },
          secrets: [{ name: 'API_KEY', state: 'found' }],
        },
      },
    ])
    expect(out.text).toContain('Bearer [secret API_KEY]')
    expect(out.text).not.toContain('a-secret-of-ada')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('the tool tells each reason for which the call would be refused', async () => {
    const { structuredContent } = (await preview(bob, WEATHER)).json()
    expect(structuredContent).toMatchObject({
      wouldRun: false,
      problems: [{ code: 'secret_missing' }, { code: 'insufficient_credits' }],
    })
    const faulty = (await preview(ada, { tool: 'sg_weather' })).json()['structuredContent']
    expect(faulty).toMatchObject({ wouldRun: false, problems: [{ code: 'invalid_arguments' }] })
    expect(faulty).not.toHaveProperty('request')
  })

  test('the tool finds what its caller may call, and nothing else', async () => {
    const own = await preview(ada, { tool: 'ada_sg_mine' })
    expect(own.json()['structuredContent']).toMatchObject({ tool: 'ada_sg_mine', wouldRun: true })
    await world.skill('sg_staff', { groups: ['staff'] })
    for (const tool of ['ada_sg_mine', 'sg_mine', 'sg_staff', 'sg_gone', 'sg_account']) {
      const out = await preview(bob, { tool })
      expect([tool, out.status, out.json()['code']]).toEqual([tool, 404, 'unknown_skill'])
    }
  })

  test('the tool needs a key, and counts in its minute', async () => {
    expect((await preview(undefined, WEATHER)).status).toBe(401)
    const small = await world.user('small', { tier: 'small' })
    const statuses = []
    for (let call = 0; call < 4; call += 1) statuses.push((await preview(small, WEATHER)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test.each([
    ['no tool', {}],
    ['a tool that is no name', { tool: 1 }],
    ['arguments that are none', { tool: 'sg_weather', arguments: 'x' }],
    ['an unknown field', { tool: 'sg_weather', send: true }],
  ])('the tool refuses %s', async (_what, args) => {
    expect((await preview(ada, args)).status).toBe(422)
  })

  test('the tool does not exist where the operator has not let it', async () => {
    world = makeWorld()
    ada = await world.user('ada')
    expect((await preview(ada, WEATHER)).status).toBe(404)
  })
})
