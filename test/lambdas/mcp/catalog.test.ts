/** GET /catalog of the door mcp: its HTTP. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { Fault } from '../../../core/errors.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf, legacy, modern, post } from './agent.ts'

let world: World
let door: StreamingHandler

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  await world.skill('sg_sunny', { price: 2 })
})

const get = (headers: { readonly [name: string]: string } = {}, query = '') =>
  ask(door, 'GET', '/catalog', { headers, query })

describe('GET /catalog', () => {
  test.each(['/catalog', '/v1/catalog'])('the path %s answers without a key', async (path) => {
    const out = await ask(door, 'GET', path)
    expect([out.status, out.headers['content-type'], out.headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'public, max-age=60',
    ])
    expect(out.json()['tools']).toMatchObject([{ name: 'sg_sunny', price: 2, version: 1 }])
  })

  test('a client that names the validator gets 304 without a body, until the content is another', async () => {
    const { etag = '' } = (await get()).headers
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const out = await get({ 'if-none-match': sent })
      expect([sent, out.status, out.text, out.headers['etag']]).toEqual([sent, 304, '', etag])
    }
    expect((await get({ 'if-none-match': '"x"' })).status).toBe(200)
    await world.skill('sg_sunny', { price: 3 })
    world.clock.jump(60_000)
    const changed = await get({ 'if-none-match': etag })
    expect([changed.status, changed.json()['tools']]).toMatchObject([200, [{ price: 3 }]])
  })

  test('a 304 says for how long the answer stays fresh', async () => {
    const { etag = '' } = (await get()).headers
    world.clock.jump(45_500)
    const out = await get({ 'if-none-match': etag })
    expect(out.headers['cache-control']).toBe('public, max-age=14')
  })

  test('HEAD answers the head of GET', async () => {
    const [head, whole] = [await ask(door, 'HEAD', '/catalog'), await get()]
    expect([head.status, head.text, head.headers]).toEqual([200, '', whole.headers])
  })

  test('another method is 405 and names the allowed ones', async () => {
    const out = await ask(door, 'POST', '/catalog', { body: {} })
    expect([out.status, out.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test('a cursor that no page had is refused', async () => {
    const out = await get({}, 'cursor=x')
    expect([out.status, out.json()['detail']]).toEqual([
      400,
      expect.stringMatching(/^\/query\/cursor: must be the nextCursor of an earlier answer/),
    ])
  })

  test('a page of a foreign origin is refused, as everywhere', async () => {
    expect((await get({ origin: 'https://evil.example' })).status).toBe(403)
    const allowed = await get({ origin: 'https://app.example' })
    expect(allowed.headers).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': 'https://app.example',
    })
  })

  test('a store that does not answer gives 503, and nothing stale', async () => {
    await get()
    world.clock.jump(60_000)
    world.ports.toolListVersion.read = () =>
      Promise.reject(new Fault('store_unavailable', 'the store is down'))
    const out = await get()
    expect([out.status, out.headers['cache-control']]).toEqual([503, 'no-store'])
  })
})

test.each([
  ['2025-06-18', legacy('tools/list', {}, { version: '2025-06-18' })],
  ['2026-07-28', modern('tools/list')],
])('agents of %s are shown neither tier nor version of a tool', async (_revision, sent) => {
  const out = await post(door, sent)
  const { tools } = out.json()['result'] as { tools: { name: string }[] }
  const sunny = tools.find(({ name }) => name === 'sg_sunny')
  expect(sunny).toMatchObject({ description: 'What sg_sunny does.\n\nPrice: 2 credits a call.' })
  expect(JSON.stringify(sunny)).not.toMatch(/"official"|"version"/)
})
