/** Access and disclosure in every revision, over the real functions. */
import { beforeEach, describe, expect, test } from 'vitest'
import { setSecret } from '../../core/flow/users/manage-secrets.ts'
import { ask, type SentRequest } from '../lambdas/door-client.ts'
import { legacy, modern, post, withKey } from '../lambdas/mcp/agent.ts'
import { memberOf, type Ready, ready, toolsOf, VERSIONS } from './door.ts'

let at: Ready

beforeEach(async () => {
  at = await ready()
})

describe('a key', () => {
  const call = { name: 'sg_sunny', arguments: {} }

  // Holds: AUTH-2
  test.each<[string, SentRequest]>([
    ['2025-11-25', legacy('tools/call', call, { version: '2025-11-25' })],
    ['2026-07-28', modern('tools/call', call)],
  ])('in the query counts as absent, in %s', async (_version, sent) => {
    const key = at.ada.replace('Bearer ', '')
    for (const name of ['access_token', 'api_key', 'key', 'authorization']) {
      const out = await ask(at.door, 'POST', '/mcp', { ...sent, query: `${name}=${key}` })
      expect(memberOf(out.json(), 'result')['isError']).toBe(true)
    }
    expect(at.world.upstream.requests).toEqual([])
  })

  // Holds: AUTH-3
  test.each(VERSIONS)('never goes to an upstream, in %s', async (version) => {
    await at.ask(version, 'tools/call', call)
    const [sent] = at.world.upstream.requests
    expect(sent?.url).toContain('api.example')
    expect(JSON.stringify(sent)).not.toContain(at.ada.replace('Bearer ', ''))
    expect(JSON.stringify(sent).toLowerCase()).not.toContain('authorization')
  })

  // Holds: LIST-11
  test.each(VERSIONS)(
    'alone decides what is listed, whatever was asked before, in %s',
    async (version) => {
      await at.world.skill('sg_own', { source: 'private', uid: 'ada' })
      const bob = await at.world.user('bob')
      const names = async (key: string | undefined) => {
        const sent =
          version === '2026-07-28' ? modern('tools/list') : legacy('tools/list', {}, { version })
        return toolsOf(await post(at.door, withKey(key, sent))).map(({ name }) => name)
      }
      const first = await names(at.ada)
      expect(first).toContain('ada_sg_own')
      for (const key of [bob, undefined]) expect(await names(key)).not.toContain('ada_sg_own')
      await at.ask(version, 'tools/call', call)
      await at.ask(version, 'tools/call', { name: 'sg_nobody' })
      expect(await names(at.ada)).toEqual(first)
    },
  )
})

describe('arguments that do not fit', () => {
  // Holds: SAFE-1, CALL-4
  test.each(VERSIONS)(
    'are reported to the model in %s, before anything is called or charged',
    async (version) => {
      await at.world.skill('sg_city', {
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      })
      const out = await at.ask(version, 'tools/call', { name: 'sg_city', arguments: { city: 7 } })
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({
        result: {
          isError: true,
          content: [{ type: 'text', text: expect.stringContaining('/city') }],
        },
      })
      expect(at.world.upstream.requests).toEqual([])
      expect(await at.world.credits('ada')).toEqual({ free: 100, held: 0 })
    },
  )

  // Holds: SCHEMA-1
  test('are judged by JSON Schema 2020-12', async () => {
    const tuple = { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } }
    const dependent = { dependentRequired: { a: ['b'] }, unevaluatedProperties: false }
    const properties = { list: tuple, a: {}, b: {} }
    await at.world.skill('sg_new', { parameters: { type: 'object', properties, ...dependent } })
    const isError = async (args: object) => {
      const out = await at.ask('2025-11-25', 'tools/call', {
        name: 'sg_new',
        arguments: { ...args },
      })
      return memberOf(out.json(), 'result')['isError']
    }
    expect(await isError({ list: ['x', 1] })).toBe(false)
    expect(await isError({ list: [1, 1] })).toBe(true)
    expect(await isError({ list: ['x', 'y'] })).toBe(true)
    expect(await isError({ a: 1 })).toBe(true)
    expect(await isError({ c: 1 })).toBe(true)
  })
})

// Holds: LOG-4
test('log messages hold no argument, key or secret', async () => {
  const { world } = at
  await world.skill('sg_key', {
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    config: { auth: { type: 'bearer', secret: 'API_KEY' } },
  })
  await setSecret(
    world.ports,
    world.settings,
    { uid: 'ada', name: 'API_KEY', skill: undefined },
    {
      value: 'a-secret-of-ada-0123',
    },
  )
  world.upstream.always({ kind: 'echo', status: 500 })
  const meta = { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 'p' }
  const params = { name: 'sg_key', arguments: { city: 'hunter2' } }
  const out = await at.ask('2026-07-28', 'tools/call', params, { meta })
  const logMessages = out.text.split('\n').filter((line) => line.includes('notifications/message'))
  expect(logMessages).toHaveLength(2)
  expect(world.upstream.requests).toHaveLength(1)
  for (const held of ['hunter2', 'a-secret-of-ada', at.ada.replace('Bearer ', '')]) {
    expect(logMessages.join('\n')).not.toContain(held)
  }
})
