/** Complete exchanges of each revision: one list and one call of the same skill. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
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

const LEGACY = ['2025-03-26', '2025-06-18', '2025-11-25']

describe('initialize', () => {
  // Holds: LIFE-1, LIFE-2, LIFE-3, LIFE-4, LIST-1, LIST-2, STR-11
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('with %s is answered with %s, without a session', async (offered, settled) => {
    const params = { protocolVersion: offered, capabilities: {}, clientInfo: { name: 'c' } }
    const headers = { 'mcp-session-id': 'stale' }
    const out = await post(door, legacy('initialize', params, { id: 0, headers }))
    expect(out.status).toBe(200)
    expect(out.headers['mcp-session-id']).toBeUndefined()
    expect(out.json()).toMatchObject({
      id: 0,
      result: {
        protocolVersion: settled,
        capabilities: {
          tools: { listChanged: false },
          experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
        },
        serverInfo: { name: 'skillgate', version: '1.2.3' },
        instructions: expect.stringContaining('sg_search_skills finds tools by words'),
      },
    })
  })
})

describe('server/discover', () => {
  test('names the tools that find the others and show the credits', async () => {
    const out = await post(door, modern('server/discover', {}))
    expect(out.json()).toMatchObject({
      result: { instructions: expect.stringMatching(/sg_search_skills.*sg_account/) },
    })
  })
})

describe('tools/call', () => {
  const call = { name: 'sg_sunny', arguments: {} }
  const text = '[{"type":"text","text":"{\\"sunny\\":true}"}]'
  const ids = '"skillgate/call":{"callId":"…"},'
  const credits = `${ids}"skillgate/credits":{"charged":1,"refunded":0,"remaining":99}`

  // Holds: CALL-6, LIFE-6
  test.each([
    [
      '2024-11-05',
      `{"jsonrpc":"2.0","id":7,"result":{"content":${text},"isError":false,"_meta":{${credits}}}}`,
    ],
    [
      '2025-03-26',
      `{"jsonrpc":"2.0","id":7,"result":{"content":${text},"isError":false,"_meta":{${credits}}}}`,
    ],
    [
      '2025-06-18',
      `{"jsonrpc":"2.0","id":7,"result":{"content":${text},"structuredContent":{"sunny":true},"isError":false,"_meta":{${credits}}}}`,
    ],
    [
      '2025-11-25',
      `{"jsonrpc":"2.0","id":7,"result":{"content":${text},"structuredContent":{"sunny":true},"isError":false,"_meta":{${credits}}}}`,
    ],
  ])('is answered in the shapes of %s', async (version, expected) => {
    const out = await post(door, withKey(ada, legacy('tools/call', call, { id: 7, version })))
    expect(out.headers['content-type']).toBe('application/json')
    expect(out.text.replace(/("callId":")[^"]+/, '$1…')).toBe(expected)
  })

  // Holds: CACHE-4, CALL-6, META-4
  test('is answered in the shapes of 2026-07-28', async () => {
    const out = await post(door, withKey(ada, modern('tools/call', call, { id: 'x' })))
    expect(out.headers['content-type']).toBe('application/json')
    expect(out.json()).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: '{"sunny":true}' }],
        structuredContent: { sunny: true },
        isError: false,
        _meta: {
          'skillgate/call': { callId: expect.any(String) },
          'skillgate/credits': { charged: 1, refunded: 0, remaining: 99 },
          'io.modelcontextprotocol/serverInfo': { name: 'skillgate', version: '1.2.3' },
        },
      },
    })
  })

  // Holds: CALL-3
  test('of a tool that fails is a result that says so, and costs nothing', async () => {
    world.upstream.always({ kind: 'answer', status: 500, body: '{}' })
    for (const version of LEGACY) {
      const out = await post(door, withKey(ada, legacy('tools/call', call, { version })))
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({ result: { isError: true } })
    }
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: CALL-1
  test('of an unknown tool is -32602 with 200, in both eras', async () => {
    const unknown = { name: 'sg_nobody', arguments: {} }
    for (const sent of [legacy('tools/call', unknown), modern('tools/call', unknown)]) {
      const out = await post(door, withKey(ada, sent))
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({ id: 1, error: { code: -32602 } })
    }
  })
})

describe('the features of 2026-07-28 alone', () => {
  // Holds: DISC-1, LIST-1
  test('server/discover names the revisions and capabilities', async () => {
    const out = await post(door, modern('server/discover', {}, { id: 'probe' }))
    expect(out.status).toBe(200)
    expect(out.json()).toMatchObject({
      id: 'probe',
      result: {
        resultType: 'complete',
        supportedVersions: expect.arrayContaining(['2026-07-28']),
        capabilities: {
          tools: { listChanged: true },
          extensions: { 'skillgate/idempotency': { keepSec: 86_400 } },
        },
      },
    })
  })

  test('server/discover announces changed tools only where the stage says so', async () => {
    const silent = doorOf(makeWorld({ ...SETTINGS, announceToolChanges: false }))
    const out = await post(silent, modern('server/discover', {}, { id: 'probe' }))
    expect(out.json()).toMatchObject({
      result: {
        capabilities: {
          tools: { listChanged: false },
          extensions: { 'skillgate/idempotency': { keepSec: 86_400 } },
        },
      },
    })
  })

  test('server/discover announces authorization extensions only where the stage says so', async () => {
    const authExtensions = ['client-credentials', 'enterprise-managed']
    const open = doorOf(makeWorld({ ...SETTINGS, authExtensions }))
    const out = await post(open, modern('server/discover', {}, { id: 'probe' }))
    expect(out.json()).toMatchObject({
      result: {
        capabilities: {
          extensions: {
            'io.modelcontextprotocol/oauth-client-credentials': {},
            'io.modelcontextprotocol/enterprise-managed-authorization': {},
          },
        },
      },
    })
    const usual = await post(door, modern('server/discover', {}, { id: 'probe' }))
    expect(usual.text).not.toContain('authorization')
  })

  // Holds: CACHE-2
  test('a list may be cached by its caller only', async () => {
    const out = await post(door, withKey(ada, modern('tools/list')))
    expect(out.json()).toMatchObject({ result: { resultType: 'complete', cacheScope: 'private' } })
  })

  // Holds: HDR-2, STR-17
  test('ping is 404, and a method that contradicts its header is 400', async () => {
    const ping = await post(door, modern('ping'))
    expect(ping.status).toBe(404)
    expect(ping.json()).toMatchObject({ id: 1, error: { code: -32601 } })
    const headers = { 'mcp-method': 'tools/call' }
    const differing = await post(door, modern('tools/list', {}, { headers }))
    expect(differing.status).toBe(400)
    expect(differing.json()).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  // Holds: RPC-12
  test('an error of the gateway has no code of the legacy range', async () => {
    const bob = await world.user('bob', { tier: 'small' })
    for (let count = 0; count < 3; count += 1) {
      await post(door, withKey(bob, modern('tools/list')))
    }
    const out = await post(door, withKey(bob, modern('tools/list')))
    expect(out.json()).toMatchObject({
      error: { code: -31004, data: { code: 'rate_limited', retryAfterSec: 40 } },
    })
    const old = await post(door, withKey(bob, legacy('tools/list')))
    expect(old.json()).toMatchObject({ error: { code: -32004, data: { code: 'rate_limited' } } })
  })
})

describe('the body of an answer', () => {
  // Holds: STR-5, STR-8
  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['*/*', 'application/json'],
    [undefined, 'application/json'],
    ['text/html', 'application/json'],
    ['application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream; charset=utf-8'],
    ['text/event-stream;q=1', 'text/event-stream; charset=utf-8'],
  ])('to a client that accepts %s is %s', async (accept, type) => {
    const headers = accept === undefined ? {} : { accept }
    const out = await post(door, legacy('ping', {}, { headers }))
    expect([out.status, out.headers['content-type']]).toEqual([200, type])
  })

  // Holds: STR-7
  test('as a stream is one event without an id, with a comment after it in a later chunk', async () => {
    const out = await post(door, legacy('ping', {}, { headers: { accept: 'text/event-stream' } }))
    expect(out.chunks).toEqual([
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
      ':\n\n',
    ])
    expect(out.headers['x-accel-buffering']).toBe('no')
  })

  test('of a batch as a stream is one event for each answer', async () => {
    const body = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const out = await post(door, { headers: { accept: 'text/event-stream' }, body })
    expect(out.text).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n:\n\n' +
        'event: message\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n:\n\n',
    )
  })
})
