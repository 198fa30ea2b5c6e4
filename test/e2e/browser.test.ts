/**
 * Requests of a browser's page: preflights, origins, and names that an attacker resolves to this
 * machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

const PAGE = 'http://localhost:5173'
const EVIL = 'https://evil.example'
const DOORS = ['/v1/mcp/sse', '/v1/mcp/messages', '/v1/execute']

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})

afterAll(async () => {
  await twin?.stop()
})

test.each(DOORS)('the preflight of a page on this machine passes at %s', async (path) => {
  const answer = await send(new URL(path, twin.url), {
    method: 'OPTIONS',
    headers: {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    },
  })
  expect(answer.status).toBe(204)
  expect(answer.headers['access-control-allow-origin']).toBe(PAGE)
  expect(answer.headers['access-control-allow-methods']).toContain('POST')
  for (const name of ['authorization', 'content-type', 'mcp-protocol-version']) {
    expect(answer.headers['access-control-allow-headers']).toContain(name)
  }
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  expect(answer.headers.vary).toContain('Origin')
})

test.each(DOORS)('a page of another site gets 403 at %s, preflight or not', async (path) => {
  const url = new URL(path, twin.url)
  const preflight = await send(url, { method: 'OPTIONS', headers: { origin: EVIL } })
  const method = path === '/v1/mcp/sse' ? 'GET' : 'POST'
  const request = await send(url, { method, headers: { origin: EVIL, ...bearer(twin.key) } })
  for (const answer of [preflight, request]) {
    expect(answer.status).toBe(403)
    expect(answer.json()).toMatchObject({ code: 'forbidden' })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('an opaque origin, as of a sandboxed frame or a file, gets 403', async () => {
  const answer = await send(twin.sse, { headers: { origin: 'null' } })
  expect(answer.status).toBe(403)
})

test('a page may read the answer of its call and the rest of its quota', async () => {
  const answer = await postJson(
    twin.execute,
    { skill: 'sg_echo', arguments: { text: 'from a page' } },
    { ...bearer(twin.key), origin: PAGE },
  )
  expect(answer.status).toBe(200)
  expect(answer.headers['access-control-allow-origin']).toBe(PAGE)
  expect(answer.headers['access-control-expose-headers']).toContain('ratelimit')
})

test('a page can read the reason of a refusal', async () => {
  const answer = await postJson(twin.execute, { skill: 'sg_echo' }, { origin: PAGE })
  expect(answer.status).toBe(401)
  expect(answer.headers['access-control-allow-origin']).toBe(PAGE)
})

test.each([...DOORS, '/v1/admin/users', '/', '/sample/echo'])(
  'a foreign name that resolves to this machine gets 403 at %s',
  async (path) => {
    const answer = await send(new URL(path, twin.url), {
      method: 'POST',
      headers: { host: 'evil.example', ...bearer(twin.internalApiSecret) },
      body: '{}',
    })
    expect(answer.status).toBe(403)
    expect(answer.json()).toMatchObject({ code: 'forbidden' })
  },
)

test.each(['localhost', '127.0.0.1'])('the twin answers under %s', async (name) => {
  const answer = await send(new URL('/healthz', twin.url), {
    headers: { host: `${name}:${twin.port}` },
  })
  expect(answer.status).toBe(200)
})
