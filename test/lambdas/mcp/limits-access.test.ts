/**
 * Access and rates at POST /mcp: callers without a key, with a bad key, and over the rate limit.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { listWith } from '../../core/flow/built-in.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import type { SentRequest } from '../door-client.ts'
import { doorOf, legacy, META, modern, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  await world.user('ada')
  await world.skill('sg_sunny')
  await world.skill('sg_mine', { source: 'private', uid: 'ada' })
})

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const eras = (method: string, params = {}): readonly SentRequest[] => [
  ...VERSIONS.map((version) => legacy(method, params, { version })),
  modern(method, params),
]

describe('a caller without a key', () => {
  test('lists built-in and cached tools, and no private ones', async () => {
    for (const sent of eras('tools/list')) {
      const { result }: { result: { tools: { name: string }[] } } = JSON.parse(
        (await post(door, sent)).text,
      )
      expect(result.tools.map(({ name }) => name)).toEqual(listWith('sg_sunny'))
    }
  })

  test.each(['sg_sunny', 'ada_sg_mine', 'sg_account', 'sg_usage', 'sg_nobody'])(
    'is told by a result that %s needs one',
    async (name) => {
      for (const sent of eras('tools/call', { name, arguments: {} })) {
        const out = await post(door, sent)
        expect([out.status, out.json()]).toMatchObject([
          200,
          {
            result: {
              isError: true,
              content: [{ text: expect.stringContaining('Authorization: Bearer sgk_') }],
            },
          },
        ])
      }
      expect(world.upstream.requests).toEqual([])
    },
  )
})

const BAD_KEYS = [`Bearer sgk_${'x'.repeat(43)}`, 'Bearer hunter2', 'Basic YTpi', 'Bearer', '']

async function statusesOf(sent: SentRequest) {
  const all = []
  for (const key of BAD_KEYS) {
    const out = await post(door, withKey(key, sent))
    all.push([out.status, out.headers['www-authenticate']])
    expect(out.text).not.toContain('hunter2')
  }
  return all
}

describe('a bad key', () => {
  const notifications: readonly (readonly [string, SentRequest])[] = [
    ['initialized', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
    [
      'cancelled',
      { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } },
    ],
    [
      'cancelled of 2026-07-28',
      { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: META } } },
    ],
    ['a response', { body: { jsonrpc: '2.0', id: 'sgi_1', result: {} } }],
    ['a batch of notifications', { body: [{ jsonrpc: '2.0', method: 'notifications/x' }] }],
  ]

  test.each(notifications)('is 401 with WWW-Authenticate on %s', async (_what, sent) => {
    const refused = [401, 'Bearer realm="skillgate"']
    expect(await statusesOf(sent)).toEqual(BAD_KEYS.map(() => refused))
  })

  // A request that is refused for its form causes no read.
  test.each<[string, SentRequest, number]>([
    ['no message', { body: '{' }, 400],
    ['a method that is not served', legacy('completion/complete'), 200],
    ['a method that 2026-07-28 does not have', modern('ping'), 404],
    ['params that do not fit', legacy('tools/call', {}), 200],
    [
      'a header that contradicts the body',
      modern('tools/list', {}, { headers: { 'mcp-method': 'x' } }),
      400,
    ],
  ])('is not looked up for %s', async (_what, sent, status) => {
    world.ports.keys.find = () => Promise.reject(new Error('nobody may ask'))
    const [key = ''] = BAD_KEYS
    expect((await post(door, withKey(key, sent))).status).toBe(status)
  })

  test('does not matter to a notification while the store fails, which is 202', async () => {
    world.ports.keys.find = () => Promise.reject(new Error('away'))
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(door, withKey(BAD_KEYS[0], { body }))).status).toBe(202)
  })
})

describe('an exceeded rate limit', () => {
  test.each([
    ...VERSIONS.map((version) => [version, legacy('tools/list', {}, { version }), -32004] as const),
    ['2026-07-28', modern('tools/list'), -31004] as const,
  ])('an exceeded limit is an error of %s with code and wait', async (_version, sent, code) => {
    const slow = await world.user('slow', { tier: 'small' })
    for (let count = 0; count < 3; count += 1) {
      expect((await post(door, withKey(slow, sent))).json()).toHaveProperty('result')
    }
    const out = await post(door, withKey(slow, sent))
    expect([out.status, out.headers['retry-after']]).toEqual([200, undefined])
    expect(out.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code,
        message:
          'This key may make 3 calls a minute, lists included. Wait 40 s, then send it again.',
        data: { code: 'rate_limited', retryAfterSec: 40 },
      },
    })
    world.clock.jump(40_000)
    expect((await post(door, withKey(slow, sent))).json()).toHaveProperty('result')
  })

  test('is a result for calls of skills and of built-in tools, which costs nothing', async () => {
    const slow = await world.user('slow', { tier: 'small' })
    for (const name of ['sg_sunny', 'sg_account']) {
      const sent = withKey(slow, modern('tools/call', { name, arguments: {} }))
      for (let count = 0; count < 3; count += 1) {
        await post(door, sent)
        await world.clock.settle()
      }
      const out = await post(door, sent)
      expect([out.status, out.json()]).toMatchObject([
        200,
        { result: { isError: true, content: [{ text: expect.stringContaining('40 s') }] } },
      ])
    }
    expect(await world.credits('slow')).toEqual({ free: 97, held: 0 })
  })

  test('an exceeded limit refuses the 601st list without a key, counted over all callers', async () => {
    for (let count = 0; count < 600; count += 1) await post(door, legacy('tools/list'))
    const out = await post(door, legacy('tools/list'))
    expect(out.json()).toMatchObject({ error: { code: -32004, data: { retryAfterSec: 40 } } })
    expect((await post(door, modern('tools/list'))).json()).toMatchObject({
      error: { code: -31004 },
    })
  })

  test('an exceeded limit does not end requests that keep a connection alive', async () => {
    const slow = await world.user('slow', { tier: 'small' })
    for (let count = 0; count < 10; count += 1) {
      for (const sent of [legacy('ping'), legacy('initialize'), modern('server/discover')]) {
        expect((await post(door, withKey(slow, sent))).json()).toHaveProperty('result')
      }
    }
    expect((await post(door, withKey(slow, legacy('tools/list')))).json()).toHaveProperty('result')
  })
})
