import { describe, expect, test } from 'vitest'
import { createSseDoor } from '../../../lambdas/sse/door.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse, type SentRequest } from '../door-client.ts'

const UNKNOWN = 'a'.repeat(43)
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

function door(world: World = makeWorld()) {
  return createSseDoor(world.ports, world.settings)
}

/** A stream that stays open, and its session id. */
async function opened(world: World, sent: SentRequest = {}, remainingMs?: number) {
  const out = new MemoryResponse()
  const done = door(world)(eventOf('GET', '/v1/mcp/sse', sent), out, contextOf(remainingMs))
  await world.clock.settle()
  const sessionId = /session_id=([\w-]{43})/.exec(out.text)?.[1] ?? ''
  return { out, done, sessionId }
}

function post(world: World, sessionId: string, sent: SentRequest = {}) {
  const query = `session_id=${sessionId}`
  return ask(door(world), 'POST', '/v1/mcp/messages', { query, body: PING, ...sent })
}

describe('GET /v1/mcp/sse', () => {
  // Holds: SSE-1, SSE-2, STR-15
  test('opens a stream whose first chunk is the endpoint event', async () => {
    const world = makeWorld()
    const { out, sessionId } = await opened(world)
    expect([out.status, out.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(out.headers['cache-control']).toContain('no-cache')
    expect(out.chunks[0]).toBe(
      `retry: 1000\nevent: endpoint\ndata: /v1/mcp/messages?session_id=${sessionId}\n\n`,
    )
  })

  test('delivers the reply to a POST, each event with a comment in a later chunk', async () => {
    const world = makeWorld()
    const { out, sessionId } = await opened(world)
    expect((await post(world, sessionId)).status).toBe(202)
    await world.clock.advance(1_000)
    expect(out.chunks.slice(-2)).toEqual([
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
      ':\n\n',
    ])
  })

  test('ends its response and its session when the peer leaves', async () => {
    const world = makeWorld()
    const { out, done, sessionId } = await opened(world)
    out.destroy()
    await world.clock.settle()
    await done
    expect((await post(world, sessionId)).status).toBe(404)
    expect(world.clock.sleepers()).toBe(0)
    expect(world.log.notes.at(-1)).toMatchObject({
      event: 'stream-ended',
      fields: { why: 'closed' },
    })
  })

  test('ends before the time that the host gives runs out', async () => {
    const world = makeWorld()
    const { out, done } = await opened(world, {}, 30_000)
    await world.clock.advance(30_000)
    await done
    expect(out.writableEnded).toBe(true)
    expect(world.log.notes.at(-1)).toMatchObject({ fields: { why: 'rotated', openMs: 10_000 } })
  })

  // Holds: AUTH-1
  test('with an unknown key is 401 and says how to send one', async () => {
    const headers = { authorization: `Bearer sgk_${'a'.repeat(43)}` }
    const out = await ask(door(), 'GET', '/v1/mcp/sse', { headers })
    expect(out.status).toBe(401)
    expect(out.headers).toMatchObject({
      'www-authenticate': 'Bearer realm="skillgate"',
      'content-type': 'application/problem+json',
    })
    expect(out.json()).toMatchObject({ code: 'unauthenticated', status: 401 })
  })

  test('past the limit is 429 with Retry-After', async () => {
    const world = makeWorld()
    for (let n = 0; n < 7; n += 1) {
      await opened(world)
      world.clock.jump(1)
    }
    const out = await ask(door(world), 'GET', '/v1/mcp/sse')
    expect([out.status, out.headers['retry-after']]).toEqual([429, '60'])
  })

  // Holds: STR-15
  test.each(['POST', 'DELETE', 'PUT'])(
    '%s of the stream is 405 with Allow: GET',
    async (method) => {
      const out = await ask(door(), method, '/v1/mcp/sse', { body: PING })
      expect([out.status, out.headers['allow']]).toEqual([405, 'GET'])
      expect(out.json()).toMatchObject({ code: 'method_not_allowed' })
    },
  )
})

describe('POST /v1/mcp/messages', () => {
  // Holds: SSE-1, STR-15
  test('is 202 at once, in plain text', async () => {
    const world = makeWorld()
    const { sessionId } = await opened(world)
    const out = await post(world, sessionId)
    expect([out.status, out.text, out.headers['content-type']]).toEqual([
      202,
      'Accepted',
      'text/plain; charset=utf-8',
    ])
  })

  test.each(['', 'a b', 'k-1'])('ignores an Idempotency-Key "%s" in its header', async (key) => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_sunny', { price: 2 })
    const { sessionId } = await opened(world, { headers: { authorization: ada } })
    for (const id of [1, 2]) {
      const params = { name: 'sg_sunny', arguments: {} }
      const body = { jsonrpc: '2.0', id, method: 'tools/call', params }
      const headers = { authorization: ada, 'idempotency-key': key }
      expect((await post(world, sessionId, { headers, body })).status).toBe(202)
      await world.clock.advance(1_000)
    }
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 96, held: 0 })
  })

  test('takes a body in base64 too', async () => {
    const world = makeWorld()
    const { sessionId } = await opened(world)
    expect((await post(world, sessionId, { base64: true })).status).toBe(202)
  })

  test('with another key is accepted for its session, whose own key alone counts', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    const { sessionId, out } = await opened(world, { headers: { authorization: ada } })
    const params = { name: 'sg_weather', arguments: {} }
    const body = { jsonrpc: '2.0', id: 5, method: 'tools/call', params }
    const headers = { authorization: await world.user('bob') }
    await post(world, sessionId, { headers, body })
    await world.clock.advance(1_000)
    expect(out.text).toContain('sunny')
    expect([await world.credits('ada'), await world.credits('bob')]).toEqual([
      { free: 99, held: 0 },
      { free: 100, held: 0 },
    ])
  })

  test.each([
    ['an unknown session', UNKNOWN, 404, 'not_found'],
    ['a session id of another shape', 'x', 400, 'malformed'],
    ['no session id', '', 400, 'malformed'],
  ])('to %s is a problem', async (_what, sessionId, status, code) => {
    const out = await post(makeWorld(), sessionId)
    expect([out.status, out.json()['code']]).toEqual([status, code])
  })

  test.each([
    ['no JSON', '{"jsonrpc":', -32700, null],
    ['nothing', '', -32700, null],
    ['bytes that are no UTF-8', '\ud800', -32700, null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
    ['no message', '{"jsonrpc":"2.0","id":7}', -32600, 7],
    [
      'a depth of 65',
      `{"jsonrpc":"2.0","id":8,"method":"x","params":${'['.repeat(64)}${']'.repeat(64)}}`,
      -32600,
      null,
    ],
    [
      'a key that pollutes',
      '{"jsonrpc":"2.0","id":9,"method":"x","params":{"__proto__":{}}}',
      -32600,
      9,
    ],
  ])('of %s is 400 with a JSON-RPC error', async (_what, body, code, id) => {
    const world = makeWorld()
    const { sessionId, out: stream } = await opened(world)
    const out = await post(world, sessionId, { body, headers: { origin: 'https://app.example' } })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
    expect(out.headers['access-control-allow-origin']).toBe('https://app.example')
    expect(stream.writableEnded).toBe(false)
  })

  test('of 1 MiB is taken, and of one byte more is 413', async () => {
    const world = makeWorld()
    const { sessionId } = await opened(world)
    const head = '{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"'
    const ofBytes = (bytes: number) => `${head}${'a'.repeat(bytes - head.length - 3)}"}}`
    expect((await post(world, sessionId, { body: ofBytes(1_048_576) })).status).toBe(202)
    const out = await post(world, sessionId, { body: ofBytes(1_048_577) })
    expect([out.status, out.json()['code']]).toEqual([413, 'too_large'])
    expect(out.json()['detail']).toContain('1048576')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    '',
  ])('as %s is 415', async (type) => {
    const out = await post(makeWorld(), UNKNOWN, { headers: { 'content-type': type } })
    expect([out.status, out.json()['code']]).toEqual([415, 'unsupported_media_type'])
  })

  test('GET of /v1/mcp/messages is 405 with Allow: POST', async () => {
    const out = await ask(door(), 'GET', '/v1/mcp/messages')
    expect([out.status, out.headers['allow']]).toEqual([405, 'POST'])
  })

  test('a POST is 503 with Retry-After when the store is down', async () => {
    const world = makeWorld()
    const { Fault } = await import('../../../core/errors.ts')
    const accept = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.sessions = { ...world.ports.sessions, accept }
    const out = await post(world, UNKNOWN)
    expect([out.status, out.headers['retry-after']]).toEqual([503, '1'])
    expect(out.text).not.toContain('down')
  })
})

describe('headers', () => {
  test('of 8192 bytes pass, and one byte more is 431', async () => {
    const at = (bytes: number) =>
      ask(door(), 'GET', '/', { headers: { 'x-long': 'a'.repeat(bytes) } })
    expect((await at(8_192)).status).toBe(200)
    const out = await at(8_193)
    expect([out.status, out.json()['code']]).toEqual([431, 'headers_too_large'])
  })
})

describe('pages of other origins', () => {
  const from = (origin: string, method = 'GET', path = '/healthz') =>
    ask(door(), method, path, { headers: { origin } })

  // Holds: ORIGIN-1
  test('are refused on every path', async () => {
    for (const [method, path] of [
      ['GET', '/v1/mcp/sse'],
      ['POST', '/v1/mcp/messages'],
      ['OPTIONS', '/v1/mcp/sse'],
      ['GET', '/'],
    ] as const) {
      const out = await from('https://evil.example', method, path)
      expect([out.status, out.json()['code']]).toEqual([403, 'forbidden'])
      expect(out.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test.each(['https://app.example', 'https://gw.example'])(
    'a page of %s is served',
    async (origin) => {
      const out = await from(origin)
      expect(out.status).toBe(200)
      expect(out.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    },
  )

  test('a preflight is 204 and names the methods and headers that are allowed', async () => {
    const out = await from('https://app.example', 'OPTIONS', '/v1/mcp/messages')
    expect([out.status, out.text]).toEqual([204, ''])
    expect(out.headers['access-control-allow-headers']).toContain('authorization')
    expect(out.headers['access-control-allow-methods']).toBe('GET, POST, DELETE, OPTIONS')
  })

  test('errors carry the CORS headers too', async () => {
    const out = await from('https://app.example', 'GET', '/nothing')
    expect(out.status).toBe(404)
    expect(out.headers['access-control-allow-origin']).toBe('https://app.example')
  })
})

describe('other paths', () => {
  test('the path / describes the gateway, and /healthz is 200', async () => {
    expect((await ask(door(), 'GET', '/')).json()).toMatchObject({
      name: 'skillgate',
      version: '1.2.3',
      sse: '/v1/mcp/sse',
    })
    const health = await ask(door(), 'GET', '/healthz')
    expect([health.status, health.json()]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  })

  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server/v1/mcp/sse',
    '/.well-known/openid-configuration',
    '/register',
    '/authorize',
    '/token',
  ])('the path %s is 404 in JSON, since there is no OAuth here', async (path) => {
    const out = await ask(door(), 'GET', path)
    expect([out.status, out.headers['content-type']]).toEqual([
      404,
      'application/json; charset=utf-8',
    ])
    expect(out.json()['error_description']).toContain('API keys, not OAuth')
  })

  test.each([
    ['/sse', 'GET /v1/mcp/sse'],
    ['/v1/MCP/sse/', 'GET /v1/mcp/sse'],
    ['/messages', '/v1/mcp/messages?session_id='],
    ['/mcp', 'GET /v1/mcp/sse'],
    ['/v1/execute', 'POST /v1/execute'],
    ['/favicon.ico', 'GET /v1/mcp/sse'],
  ])('the path %s is 404 and names %s', async (path, right) => {
    const out = await ask(door(), 'GET', path)
    expect(out.status).toBe(404)
    expect(out.json()['detail']).toContain(right)
  })
})
