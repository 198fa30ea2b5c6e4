/** The door mcp before any work: methods, types, sizes, Origin, credentials, ids, batches. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, type SentRequest } from '../door-client.ts'
import { doorOf, legacy, modern, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_sunny')
})

const UNKNOWN_KEY = `Bearer sgk_${'x'.repeat(43)}`

describe('a request that is refused before any work', () => {
  // Holds: STR-10, STR-11, STR-20
  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])(
    'the method %s is 405 and names the allowed ones',
    async (method) => {
      const out = await ask(door, method, '/mcp')
      expect([out.status, out.headers['allow']]).toEqual([405, 'POST, OPTIONS'])
    },
  )

  // Holds: PING-1, STR-1, STR-2
  test.each(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])(
    'the path %s is served as it is spelled',
    async (path) => {
      const out = await ask(door, 'POST', path, legacy('ping'))
      expect([out.status, out.text]).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":{}}'])
    },
  )

  test('another path gets 404', async () => {
    expect((await ask(door, 'POST', '/mcp/x', legacy('ping'))).status).toBe(404)
  })

  // Holds: RPC-7
  test.each([
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/json; charset=latin1', 415],
    ['application/json;charset=UTF-8', 200],
    ['Application/JSON', 200],
  ])('a body of type %s is answered %d', async (type, status) => {
    const sent = legacy('ping', {}, { headers: { 'content-type': type } })
    expect((await post(door, sent)).status).toBe(status)
  })

  test('a body of a MiB is read, and one byte more is 413', async () => {
    const empty = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}'
    const body = (bytes: number) => empty.replace('""', `"${'a'.repeat(bytes - empty.length)}"`)
    expect((await post(door, { body: body(1_048_576) })).status).toBe(200)
    expect((await post(door, { body: body(1_048_577) })).status).toBe(413)
  })

  test('a header of 8 KiB is read, and one byte more is 431', async () => {
    const sent = (bytes: number) => legacy('ping', {}, { headers: { 'x-long': 'a'.repeat(bytes) } })
    expect((await post(door, sent(8_192))).status).toBe(200)
    expect((await post(door, sent(8_193))).status).toBe(431)
  })

  // Holds: ORIGIN-1, ORIGIN-4
  test('a page of a foreign origin gets 403, and a page of an allowed one is served', async () => {
    const from = (origin: string) => legacy('ping', {}, { headers: { origin } })
    expect((await post(door, from('https://evil.example'))).status).toBe(403)
    const out = await post(door, from('https://app.example'))
    expect([out.status, out.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://app.example',
    ])
    expect(out.headers['access-control-expose-headers']).toContain('www-authenticate')
  })

  test('a preflight is answered without a key, and allows the headers of all revisions', async () => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, Mcp-Param-Region,x-other, mcp-param-b()d',
    }
    const out = await ask(door, 'OPTIONS', '/mcp', { headers })
    expect([out.status, out.text]).toEqual([204, ''])
    expect(out.headers['access-control-allow-methods']).toBe('GET, POST, DELETE, OPTIONS')
    expect(out.headers['access-control-allow-headers']).toBe(
      'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, idempotency-key, mcp-param-region',
    )
  })

  // Holds: RPC-2
  test('a body that is no JSON is 400 with an id of null', async () => {
    const out = await post(door, { body: '{' })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ id: null, error: { code: -32700 } })
  })
})

describe('the credential of a request', () => {
  const call = { name: 'sg_sunny', arguments: {} }
  const builtIn = { name: 'sg_account', arguments: {} }

  // Holds: AUTH-1, AUTH-4
  test.each<[string, SentRequest]>([
    ['initialize', legacy('initialize', { protocolVersion: '2025-11-25' })],
    ['ping', legacy('ping')],
    ['tools/list', legacy('tools/list')],
    ['tools/call of a skill', legacy('tools/call', call)],
    ['tools/call of a built-in tool', legacy('tools/call', builtIn)],
    ['server/discover', modern('server/discover')],
    ['tools/list of 2026-07-28', modern('tools/list')],
    ['tools/call of 2026-07-28', modern('tools/call', call)],
    ['subscriptions/listen', modern('subscriptions/listen', { notifications: {} })],
  ])('an unknown credential is 401 on %s', async (_what, sent) => {
    for (const bad of [UNKNOWN_KEY, 'Bearer hunter2', 'Basic YTpi', '']) {
      const out = await post(door, withKey(bad, sent))
      expect([out.status, out.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="skillgate"',
      ])
      expect(out.text).not.toContain('hunter2')
    }
    expect(world.upstream.requests).toEqual([])
  })

  // Holds: AUTH-1
  test('an expired credential is 401 on a call', async () => {
    world.clock.jump(31 * 86_400_000)
    expect((await post(door, withKey(ada, legacy('tools/call', call)))).status).toBe(401)
  })

  test('a bad credential in a batch is 401 for all of it', async () => {
    const body = [{ jsonrpc: '2.0', id: 1, method: 'ping' }]
    expect((await post(door, withKey(UNKNOWN_KEY, { body }))).status).toBe(401)
  })

  // Holds: ORIGIN-3
  test('a request without a credential may list, and its call is told how to get one', async () => {
    const listed = await post(door, legacy('tools/list'))
    expect(listed.text).toContain('"sg_sunny"')
    for (const params of [call, builtIn]) {
      const out = await post(door, legacy('tools/call', params))
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringContaining('Authorization: Bearer sgk_') }],
        },
      })
    }
  })
})

describe('ids and batches', () => {
  // Holds: RPC-4
  test.each(['0', '-7', '"a"', '""', '12345678901234567890'])(
    'the id %s goes back as it came',
    async (id) => {
      const out = await post(door, { body: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` })
      expect(out.text).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`)
    },
  )

  // Holds: RPC-3
  test.each(['null', '1.5', 'true', '{}'])('the id %s is refused', async (id) => {
    const out = await post(door, { body: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ id: null, error: { code: -32600 } })
  })

  // Holds: RPC-6, STR-3, STR-9
  test('notifications and responses are 202 without a body', async () => {
    const bodies = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'x', result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'no' } },
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    ]
    for (const body of bodies) {
      const out = await post(door, { body })
      expect([out.status, out.text]).toEqual([202, ''])
    }
  })

  // Holds: RPC-6, RPC-8, STR-13
  test('a batch is answered by an array in its order, without entries for notifications', async () => {
    const body = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'sg_sunny' } },
      { jsonrpc: '2.0', id: 3, method: 'nothing/there' },
    ]
    const out = await post(door, withKey(ada, { body }))
    expect(out.status).toBe(200)
    expect(JSON.parse(out.text)).toMatchObject([
      { id: 1, result: {} },
      { id: 'call', result: { isError: false } },
      { id: 3, error: { code: -32601 } },
    ])
  })

  test('fifty messages are a batch, and one more is refused whole', async () => {
    const body = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const fifty = await post(door, { body: body(50) })
    expect(JSON.parse(fifty.text)).toHaveLength(50)
    const more = await post(door, { body: body(51) })
    expect([more.status, more.json()['id']]).toEqual([400, null])
  })

  test('fifty calls in a batch never hold credits for more than one at once', async () => {
    world.upstream.always({ kind: 'answer', afterMs: 100 })
    const body = Array.from({ length: 50 }, (_, id) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'sg_sunny' } }
    })
    const answered = post(door, withKey(ada, { body }))
    await world.clock.advance(50)
    expect((await world.credits('ada')).held).toBe(1)
    await world.clock.advance(6_000)
    const replies: { result: { isError: boolean } }[] = JSON.parse((await answered).text)
    expect(replies.map(({ result }) => result.isError)).toEqual(Array(50).fill(false))
    expect(await world.credits('ada')).toEqual({ free: 50, held: 0 })
  })

  test('requests after four million characters of answers are not begun, and cost nothing', async () => {
    const text = 'x'.repeat(900_000)
    world.upstream.always({ kind: 'answer', body: JSON.stringify({ text }) })
    const body = Array.from({ length: 20 }, (_, id) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'sg_sunny' } }
    })
    const out = await post(door, withKey(ada, { body }))
    const replies: { id: number; result?: object; error?: { code: number } }[] = JSON.parse(
      out.text,
    )
    const answered = replies.filter(({ result }) => result !== undefined)
    expect(answered.length).toBeGreaterThanOrEqual(2)
    expect(answered.length).toBeLessThan(10)
    expect(replies.map(({ error }) => error?.code ?? 0)).toContain(-32603)
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 100 - answered.length, held: 0 })
    expect(world.upstream.requests).toHaveLength(answered.length)
  })

  // Holds: RPC-10
  test('a batch is refused by revisions that have none', async () => {
    const headers = { 'mcp-protocol-version': '2025-06-18' }
    const out = await post(door, { headers, body: [{ jsonrpc: '2.0', id: 1, method: 'ping' }] })
    expect(out.status).toBe(400)
  })
})
