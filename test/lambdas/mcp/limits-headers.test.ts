/**
 * Headers of the door mcp in every form: mirrored ones, doubled, padded, encoded, too long or too
 * many.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { readFunctionUrlEvent } from '../../../adapters/http/read-event.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse, type SentRequest } from '../door-client.ts'
import { doorOf, legacy, modern, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

const TEXT = { type: 'string' }

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  const properties = {
    region: { ...TEXT, 'x-mcp-header': 'Region' },
    size: { type: 'integer', 'x-mcp-header': 'Size' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
  }
  await world.skill('sg_mirror', { parameters: { type: 'object', properties } })
})

/** Goes through the parsing of events, which joins repeated headers. */
async function posted(sent: SentRequest): Promise<MemoryResponse> {
  const out = new MemoryResponse()
  await door(readFunctionUrlEvent(eventOf('POST', '/mcp', sent)), out, contextOf())
  return out
}

function calling(headers: SentRequest['headers'], args: JsonObject = {}): SentRequest {
  const sent = modern(
    'tools/call',
    { name: 'sg_mirror', arguments: args },
    { headers: headers ?? {} },
  )
  return withKey(ada, sent)
}

async function expectServed(sent: SentRequest) {
  const out = await posted(sent)
  expect([out.status, out.json()]).toMatchObject([200, { id: 1, result: { isError: false } }])
}

async function expectMismatch(sent: SentRequest, words: string) {
  const out = await posted(sent)
  expect([out.status, out.json()]).toMatchObject([
    400,
    { id: 1, error: { code: -32020, message: expect.stringContaining(words) } },
  ])
  expect(world.upstream.requests).toEqual([])
}

describe('Mcp-Name', () => {
  test.each([
    'sg_mirror',
    ' \tsg_mirror\t ',
    '=?base64?c2dfbWlycm9y?=',
    '  =?base64?c2dfbWlycm9y?=  ',
  ])('"%s" is the name in the body', async (name) => {
    await expectServed(calling({ 'mcp-name': name }))
  })

  test.each([
    ['', 'differs'],
    ['SG_MIRROR', 'differs'],
    ['sg_mirror,sg_mirror', 'differs'],
    ['=?base64?c2dfbWlycm9y', 'differs'],
    ['=?BASE64?c2dfbWlycm9y?=', 'differs'],
    ['=?base64??=', 'differs'],
    ['=?base64?c2dfbWlycm9?=', 'cannot be read'],
    ['=?base64?c2dfbWlycm9y=?=', 'cannot be read'],
    ['=?base64?c2dfbWly-m9y?=', 'cannot be read'],
    ['=?base64?/w==?=', 'cannot be read'],
    ['sg_mirror\0', 'cannot be read'],
    ['sg_mirror\r\nx: y', 'cannot be read'],
    ['sg_mirrör', 'cannot be read'],
    ['\u00a0sg_mirror', 'cannot be read'],
  ])('"%s" %s', async (name, words) => {
    await expectMismatch(calling({ 'mcp-name': name }), words)
  })

  test('of 8192 bytes is read, and one byte more is 431', async () => {
    await expectMismatch(calling({ 'mcp-name': 'n'.repeat(8_192) }), 'differs')
    expect((await posted(calling({ 'mcp-name': 'n'.repeat(8_193) }))).status).toBe(431)
  })
})

describe('a header that is sent twice, in two spellings', () => {
  test.each([
    ['MCP-Name', 'sg_mirror', 'Mcp-Name'],
    ['MCP-METHOD', 'tools/call', 'Mcp-Method'],
    ['Mcp-Method', 'tools/list', 'Mcp-Method'],
    ['MCP-Protocol-Version', '2026-07-28', 'MCP-Protocol-Version'],
    ['MCP-Protocol-Version', '2025-11-25', 'MCP-Protocol-Version'],
  ])('the repeated header %s: %s contradicts the body', async (name, value, words) => {
    await expectMismatch(calling({ [name]: value }), words)
  })

  test('a repeated MCP-Protocol-Version of a legacy request is no version that is served', async () => {
    const headers = { 'mcp-protocol-version': '2025-06-18', 'MCP-Protocol-Version': '2025-06-18' }
    const out = await posted(legacy('ping', {}, { headers }))
    expect([out.status, out.json()]).toMatchObject([
      400,
      { id: 1, error: { code: -32022, data: { requested: '2025-06-18,2025-06-18' } } },
    ])
  })

  test('a repeated Authorization is no key', async () => {
    const out = await posted(calling({ Authorization: ada }))
    expect([out.status, out.headers['www-authenticate']]).toEqual([401, 'Bearer realm="skillgate"'])
  })

  test('a repeated Content-Type is refused', async () => {
    const headers = { 'Content-Type': 'application/json' }
    expect((await posted(legacy('ping', {}, { headers }))).status).toBe(415)
  })
})

describe('Mcp-Param-*', () => {
  const E = '=?base64?IMOpIA==?='

  test.each<[JsonObject, { [name: string]: string }]>([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'eu' }, { 'MCP-PARAM-REGION': ' eu\t' }],
    [{ region: ' é ' }, { 'mcp-param-region': E }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ region: '' }, { 'mcp-param-region': '=?base64??=' }],
    [
      { size: 7, dry: false },
      { 'mcp-param-size': '7', 'mcp-param-dry': 'false' },
    ],
    [{ size: 7 }, { 'mcp-param-size': '7.0' }],
    [{}, { 'mcp-param-other': 'of no parameter' }],
  ])('the arguments %j are mirrored by %j', async (args, headers) => {
    await expectServed(calling(headers, args))
  })

  test.each<[JsonObject, { [name: string]: string }]>([
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu', 'MCP-Param-Region': 'eu' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
    [{ region: 'é' }, { 'mcp-param-region': 'é' }],
    [{}, { 'mcp-param-region': 'eu' }],
    [{ size: 7 }, { 'mcp-param-size': '0x7' }],
    [{ dry: true }, { 'mcp-param-dry': 'TRUE' }],
  ])('the arguments %j are not mirrored by %j', async (args, headers) => {
    await expectMismatch(calling(headers, args), 'Mcp-Param-')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`mcp-param-x${nth}`, 'v']))

  test('mirrored headers are 64 at most', async () => {
    await expectServed(calling(many(64)))
    world.upstream.requests.length = 0
    await expectMismatch(calling(many(65)), '64 headers')
  })

  test('mirrored headers have 6144 characters in all at most, percent-encoded', async () => {
    // Around the value: {"region":""}, with quotes and braces encoded as three characters each.
    const region = (length: number) => 'r'.repeat(length - '%7B%22region%22:%22%22%7D'.length)
    const sent = (length: number) =>
      calling({ 'mcp-param-region': region(length) }, { region: region(length) })
    await expectServed(sent(6_144))
    world.upstream.requests.length = 0
    await expectMismatch(sent(6_145), '6144 characters')
  })

  test.each([
    ['mcp-param-__proto__', 'x'],
    ['mcp-param-other', '\0'],
    ['mcp-param-other', '\ud800'],
  ])('the header %s cannot be forwarded and is refused at once', async (name, value) => {
    await expectMismatch(calling({ [name]: value }), 'cannot be read')
  })
})

describe('Origin', () => {
  test.each([
    ['https://app.example', 200],
    ['https://gw.example', 200],
    ['HTTPS://APP.example', 200],
    ['https://app.example:444', 403],
    ['https://app.example.evil.example', 403],
    ['https://app.example, https://evil.example', 403],
    ['https://evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('"%s" is answered %d', async (origin, status) => {
    const out = await posted(legacy('ping', {}, { headers: { origin } }))
    expect([out.status, out.headers['access-control-allow-origin']]).toEqual([
      status,
      status === 200 ? origin : undefined,
    ])
  })
})

describe('Accept', () => {
  test.each([
    ['application/json;q=0.5, text/event-stream;q=0', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['text/*', 'text/event-stream; charset=utf-8'],
    ['', 'application/json'],
    [',;,', 'application/json'],
    ['\0', 'application/json'],
  ])('"%s" gets %s', async (accept, type) => {
    const out = await post(door, legacy('ping', {}, { headers: { accept } }))
    expect([out.status, out.headers['content-type']]).toEqual([200, type])
  })
})

describe('other methods', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'TRACE', 'post', ''])(
    'the method "%s" is 405 at each path',
    async (method) => {
      for (const path of ['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/']) {
        const out = await ask(door, method, path, { headers: { 'mcp-session-id': 'stale' } })
        expect([out.status, out.headers['allow']]).toEqual([405, 'POST, OPTIONS'])
      }
    },
  )

  test.each(['/mcp//', '/MCP', '/mcp/x', '//mcp', '/v1/mcp/%2e'])(
    '%s is an unknown path',
    async (path) => {
      expect((await ask(door, 'POST', path, legacy('ping'))).status).toBe(404)
    },
  )
})
