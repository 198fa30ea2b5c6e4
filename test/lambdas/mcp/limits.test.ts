/**
 * POST /mcp at each limit of a message and one past it: what passes, and how the rest is refused.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse } from '../door-client.ts'
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

const call: JsonObject = { name: 'sg_sunny', arguments: {} }
const idOf = (length: number) => `"${'i'.repeat(length)}"`

describe('an id', () => {
  const IDS = ['0', '-7', '1.0', '12345678901234567890', '"a"', '""', '"\\u00e9"', idOf(256)]
  const BAD_IDS = [
    'null',
    '1.5',
    '1e2',
    'true',
    '{}',
    '[1]',
    idOf(257),
    '"\\ud800"',
    '1'.repeat(65),
  ]

  test.each(IDS)('of %s goes back as it came, in a batch too', async (id) => {
    const idText = id.replace('\\u00e9', 'é')
    const request = (method: string) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`
    const ping = await post(door, { body: request('ping') })
    expect(ping.text).toBe(`{"jsonrpc":"2.0","id":${idText},"result":{}}`)
    const unknown = await post(door, { body: request('nothing/there') })
    expect(unknown.text).toContain(`"id":${idText},"error":{"code":-32601`)
    const batch = await post(door, { body: `[${request('ping')}]` })
    expect(batch.text).toBe(`[{"jsonrpc":"2.0","id":${idText},"result":{}}]`)
  })

  test.each(IDS)('of %s goes back as it came in the modern era', async (id) => {
    const { body, headers } = modern('tools/call', call)
    const text = JSON.stringify(body).replace('"id":1', `"id":${id}`)
    const out = await post(door, withKey(ada, { ...(headers && { headers }), body: text }))
    expect(out.text).toContain(`"id":${id.replace('\\u00e9', 'é')},"result"`)
  })

  test.each(BAD_IDS)('of %s is 400 with an id of null', async (id) => {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
    const out = await post(door, { body })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ id: null, error: { code: -32600 } })
    const batch = await post(door, { body: `[${body}]` })
    // Half of a surrogate pair spoils the whole body.
    expect(batch.status).toBe(id.includes('ud800') ? 400 : 200)
    expect(batch.text).toContain('"id":null,"error":{"code":-32600')
  })
})

describe('a message', () => {
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`

  test('of 64 levels is read, and one of 65 or of a million brackets is refused', async () => {
    expect((await post(door, { body: nested(64) })).text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    )
    for (const body of [nested(65), '['.repeat(1_000_000)]) {
      const out = await post(door, { body })
      expect(out.status).toBe(400)
      expect(out.json()).toMatchObject({
        id: null,
        error: { code: -32600, message: expect.stringContaining('64 levels') },
      })
    }
  })

  test('with a method of 128 characters is unknown, and with 129 it is invalid', async () => {
    const of = (length: number) => legacy('m'.repeat(length))
    expect((await post(door, of(128))).json()).toMatchObject({ error: { code: -32601 } })
    const out = await post(door, of(129))
    expect([out.status, out.json()['id']]).toEqual([400, 1])
  })

  test.each([
    ['nothing', '', -32700],
    ['half an object', '{"jsonrpc":', -32700],
    ['an empty array', '[]', -32600],
    ['a text', '"ping"', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['params of a text', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"a"}', -32600],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', -32600],
    ['U+0000', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\u0000"}}', -32600],
  ])('(%s) is 400', async (_what, body, code) => {
    const out = await post(door, { body })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })
})

test('a message of bytes that are no UTF-8 is 400, and -32700', async () => {
  const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.of(0xff, 0x22, 0x7d)])
  const event = eventOf('POST', '/mcp')
  const out = new MemoryResponse()
  await door({ ...event, body: body.toString('base64'), isBase64Encoded: true }, out, contextOf())
  expect([out.status, out.json()]).toMatchObject([400, { id: null, error: { code: -32700 } }])
  expect(out.text).toContain('UTF-8')
})

/**
 * In band: the params of a method are its handler's affair (docs/protocol.md, Status codes of POST
 * /mcp).
 */
async function invalid(method: string, params: JsonObject, words: string) {
  for (const sent of [legacy(method, params), modern(method, params)]) {
    const out = await post(door, withKey(ada, sent))
    expect(out.status).toBe(200)
    expect(out.json()).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining(words) },
    })
  }
}

describe('params', () => {
  test('a tool name of 128 characters is unknown, and one of 129 is too long', async () => {
    await invalid('tools/call', { name: 't'.repeat(128) }, 'Unknown tool')
    await invalid('tools/call', { name: 't'.repeat(129) }, '128 characters')
  })

  test.each<[string, JsonObject, string]>([
    ['no name', {}, 'params.name'],
    ['an empty name', { name: '' }, 'params.name'],
    ['arguments that are a list', { ...call, arguments: [] }, 'params.arguments'],
    ['arguments that are a text', { ...call, arguments: 'a' }, 'params.arguments'],
  ])('of a call with %s are -32602', async (_what, params, words) => {
    await invalid('tools/call', params, words)
  })

  test('absent and null arguments count as empty', async () => {
    for (const params of [{ name: 'sg_sunny' }, { ...call, arguments: null }]) {
      const out = await post(door, withKey(ada, modern('tools/call', params)))
      expect(out.json()).toMatchObject({ result: { isError: false } })
    }
  })

  test('a foreign cursor is -32602, whatever its length and type', async () => {
    for (const cursor of ['x'.repeat(1_024), 'x'.repeat(1_025), '', 7, {}] as Json[]) {
      await invalid('tools/list', { cursor }, 'cursor')
    }
  })

  test.each<[Json, boolean]>([
    [0, true],
    ['', true],
    ['p'.repeat(256), true],
    [null, true],
    ['p'.repeat(257), false],
    [1.5, false],
    [true, false],
    [{}, false],
  ])('a progress token of %j is taken: %s', async (progressToken, isTaken) => {
    const { body } = legacy('tools/call', { ...call, _meta: { progressToken } })
    const old = await post(door, withKey(ada, { body: body ?? null }))
    const params = modern('tools/call', call, { meta: { progressToken } })
    for (const out of [old, await post(door, withKey(ada, params))]) {
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject(
        isTaken ? { result: { isError: false } } : { error: { code: -32602 } },
      )
    }
  })

  const answers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, {}]))
  const bytes = (count: number) => ({ k: { a: 'x'.repeat(count - '{"k":{"a":""}}'.length) } })

  test.each<[string, JsonObject, JsonObject, string]>([
    ['64 input responses', { inputResponses: answers(64) }, { inputResponses: answers(65) }, '64'],
    [
      '262144 bytes of them',
      { inputResponses: bytes(262_144) },
      { inputResponses: bytes(262_145) },
      '262144 bytes',
    ],
    ['a null among none', { inputResponses: {} }, { inputResponses: { k: null } }, 'an object'],
  ])('with %s are taken, with one more refused', async (_what, fits, over, words) => {
    const first = await post(door, withKey(ada, modern('tools/call', { ...call, ...fits })))
    expect(first.json()).toMatchObject({ result: { isError: false } })
    const second = await post(door, withKey(ada, modern('tools/call', { ...call, ...over })))
    expect([second.status, second.json()]).toMatchObject([
      200,
      { error: { code: -32602, message: expect.stringContaining(words) } },
    ])
  })

  test('a foreign state of 49152 characters is judged, and a longer one is too long', async () => {
    const of = (length: number) =>
      modern('tools/call', { ...call, requestState: 's'.repeat(length) })
    const judged = await post(door, withKey(ada, of(49_152)))
    expect([judged.status, judged.json()]).toMatchObject([200, { error: { code: -32602 } }])
    expect(judged.text).not.toContain('49152')
    const over = await post(door, withKey(ada, of(49_153)))
    expect([over.status, over.text]).toEqual([200, expect.stringContaining('49152 characters')])
    expect(world.upstream.requests).toEqual([])
  })
})
