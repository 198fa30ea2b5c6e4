/** A disabled user at every door: 403 with the reason, no hold, no charge, and streams that end. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { ask, contextOf, eventOf, MemoryResponse, type SentRequest } from './door-client.ts'
import {
  doorByEvent,
  doorOf,
  eventsOf,
  legacy,
  modern,
  opened,
  post,
  withKey,
} from './mcp/agent.ts'

const REASON = 'the November invoice is not paid'
const DETAIL = `This user is disabled: ${REASON}. Ask your administrator.`

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_weather')
  await world.skill('sg_free', { price: 0 })
})

async function patch(body: { readonly state: string; readonly reason?: string }): Promise<void> {
  const { status } = await askAdmin(world, 'PATCH', '/users/ada', { body })
  expect(status).toBe(200)
}

const disable = () => patch({ state: 'disabled', reason: REASON })

function execute(skill: string, headers: SentRequest['headers'] = {}) {
  const body = { skill, arguments: {} }
  const door = createExecuteDoor(world.ports, world.settings)
  return ask(door, 'POST', '/v1/execute', { headers: { authorization: ada, ...headers }, body })
}

async function expectUntouched(): Promise<void> {
  expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  expect((await world.ports.ledger.list({ uid: 'ada', limit: 10 })).outcomes).toEqual([])
  expect(world.upstream.requests).toEqual([])
}

describe('a call of a disabled user', () => {
  test.each(['sg_weather', 'sg_free', 'sg_account', 'sg_search_skills'])(
    'a call of %s by a disabled user gets 403 with the reason, and holds and charges nothing',
    async (skill) => {
      await disable()
      const out = await execute(skill)
      expect([out.status, out.json()['code'], out.json()['detail']]).toEqual([
        403,
        'user_disabled',
        DETAIL,
      ])
      await expectUntouched()
    },
  )

  test('gets no answer that is kept under an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    expect((await execute('sg_weather', headers)).status).toBe(200)
    await disable()
    expect((await execute('sg_weather', headers)).status).toBe(403)
    await patch({ state: 'active' })
    expect((await execute('sg_weather', headers)).headers['idempotency-replayed']).toBe('true')
  })

  const CALLS: readonly (readonly [string, SentRequest])[] = [
    ['a tools/call', modern('tools/call', { name: 'sg_weather', arguments: {} })],
    ['a tools/call of a built-in tool', modern('tools/call', { name: 'sg_account' })],
    ['a tools/list', modern('tools/list')],
    ['a legacy tools/call', legacy('tools/call', { name: 'sg_weather', arguments: {} })],
    ['a legacy tools/list', legacy('tools/list')],
    ['a subscriptions/listen', modern('subscriptions/listen', { notifications: {} })],
  ]
  test.each(CALLS)(
    'a call as %s of a disabled user is 403 with the reason',
    async (_what, sent) => {
      await disable()
      for (const door of [doorOf(world), doorByEvent(world)]) {
        const out = await post(door, withKey(ada, sent))
        expect([out.status, out.json()['code'], out.json()['detail']]).toEqual([
          403,
          'user_disabled',
          DETAIL,
        ])
      }
      await expectUntouched()
    },
  )

  test('in a batch of requests is an error of that request', async () => {
    await disable()
    const { body } = legacy('tools/list')
    const out = await post(doorOf(world), withKey(ada, { body: [body ?? null] }))
    expect(out.status).toBe(200)
    expect(JSON.parse(out.text)).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32003, message: DETAIL } },
    ])
  })

  test('is served again once the user is active', async () => {
    await disable()
    expect((await execute('sg_weather')).status).toBe(403)
    await patch({ state: 'active' })
    expect((await execute('sg_weather')).status).toBe(200)
  })

  test('is refused by the hold where the profile was read just before', async () => {
    const { callLookup } = world.ports
    world.ports.callLookup = {
      read: async (query) => {
        const read = await callLookup.read(query)
        await disable()
        return read
      },
    }
    const out = await execute('sg_weather')
    expect([out.status, out.json()['detail']]).toEqual([403, DETAIL])
    await expectUntouched()
  })
})

describe('a stream of a disabled user', () => {
  const sse = () => createSseDoor(world.ports, world.settings)

  test('is not opened', async () => {
    await disable()
    const out = await ask(sse(), 'GET', '/v1/mcp/sse', { headers: { authorization: ada } })
    expect([out.status, out.json()['code'], out.json()['detail']]).toEqual([
      403,
      'user_disabled',
      DETAIL,
    ])
  })

  test('ends with the next heartbeat, and its POSTs are 404', async () => {
    const out = new MemoryResponse()
    const headers = { authorization: ada }
    const done = sse()(eventOf('GET', '/v1/mcp/sse', { headers }), out, contextOf())
    await world.clock.settle()
    const query = /session_id=[\w-]{43}/.exec(out.text)?.[0] ?? ''
    await disable()
    await world.clock.advance(5_000)
    await done
    expect(world.log.notes.at(-1)).toMatchObject({
      event: 'stream-ended',
      fields: { why: 'user-disabled' },
    })
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await ask(sse(), 'POST', '/v1/mcp/messages', { query, body })).status).toBe(404)
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
    expect(world.clock.sleepers()).toBe(0)
  })

  test('answers a call that was posted before its end with the reason', async () => {
    const out = new MemoryResponse()
    const headers = { authorization: ada }
    const done = sse()(eventOf('GET', '/v1/mcp/sse', { headers }), out, contextOf())
    await world.clock.settle()
    const query = /session_id=[\w-]{43}/.exec(out.text)?.[0] ?? ''
    await disable()
    const params = { name: 'sg_weather', arguments: {} }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    await ask(sse(), 'POST', '/v1/mcp/messages', { query, body })
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    await ask(sse(), 'POST', '/v1/mcp/messages', { query, body: list })
    await world.clock.advance(5_000)
    await done
    const [called, listed] = eventsOf(out)
    expect(called).toMatchObject({ id: 1, result: { isError: true } })
    expect(JSON.stringify(called)).toContain(DETAIL)
    expect(listed).toMatchObject({ id: 2, error: { code: -32003, message: DETAIL } })
    await expectUntouched()
  })

  test.each([[{ toolsListChanged: true }], [{}]])(
    'that listens for %j ends within two seconds',
    async (notifications) => {
      const sent = modern('subscriptions/listen', { notifications }, { id: 7 })
      const { done, out } = opened(doorOf(world), withKey(ada, sent))
      await world.clock.settle()
      await disable()
      await world.clock.advance(2_000)
      await done
      expect(eventsOf(out).at(-1)).toMatchObject({ id: 7, result: {} })
      expect(world.log.notes.at(-1)).toMatchObject({ fields: { why: 'user-disabled' } })
    },
  )
})
