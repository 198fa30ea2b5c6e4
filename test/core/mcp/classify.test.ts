import { describe, expect, test } from 'vitest'
import { classified, MODERN_META, modernHeaders, request, shortly, workOf } from './posted.ts'

const VERSION = 'mcp-protocol-version'
const INITIALIZE = request('initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 0)

function notification(method: string, params?: object) {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
}

/** From a body that is no JSON on: docs/protocol.md, Status codes of POST /mcp. */
describe('the behaviour of the one endpoint', () => {
  // Holds: DISC-3, DISC-4, RPC-1, RPC-2, RPC-3, RPC-7, STR-4, STR-12, STR-13
  test.each<[string, unknown, { [name: string]: string }, string]>([
    ['4: no JSON', '{', {}, 'refused 400 -32700 id null'],
    ['4: nothing', '', {}, 'refused 400 -32700 id null'],
    ['4: no UTF-8', new Uint8Array([0xff]), {}, 'refused 400 -32700 id null'],
    ['4: JSON that is no message', '7', {}, 'refused 400 -32600 id null'],
    ['4: no jsonrpc', { id: 7, method: 'ping' }, {}, 'refused 400 -32600 id 7'],
    ['4: an id that is null', request('ping', undefined, null), {}, 'refused 400 -32600 id null'],
    ['5: an empty array', [], {}, 'refused 400 -32600 id null'],
    [
      '5: a modern element',
      [request('ping'), request('tools/list', { _meta: MODERN_META })],
      {},
      'refused 400 -32600 id null',
    ],
    ['5: a legacy batch', [request('ping')], {}, 'batch 2025-03-26 of 1'],
    ['6: the handshake', INITIALIZE, {}, 'request 2025-11-25 initialize'],
    [
      '6: the handshake under a header of its time',
      INITIALIZE,
      { [VERSION]: '2025-06-18' },
      'request 2025-11-25 initialize',
    ],
    [
      '6: the handshake under a header that nobody knows',
      INITIALIZE,
      { [VERSION]: 'nonsense' },
      'request 2025-11-25 initialize',
    ],
    [
      '6: the handshake under a modern header',
      INITIALIZE,
      { [VERSION]: '2026-07-28' },
      'refused 400 -32020 id 0',
    ],
    [
      '6: the handshake with an envelope that is malformed',
      request('initialize', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
      {},
      'request 2025-11-25 initialize',
    ],
    [
      '6: the handshake with an envelope that names a legacy version',
      request('initialize', {
        protocolVersion: '2025-06-18',
        _meta: { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2025-06-18' },
      }),
      {},
      'request 2025-06-18 initialize',
    ],
    [
      '6: initialize with a modern envelope',
      request('initialize', { _meta: MODERN_META }),
      modernHeaders('initialize'),
      'refused 404 -32601 id 1',
    ],
    [
      '7: a modern request',
      request('tools/list', { _meta: MODERN_META }),
      modernHeaders('tools/list'),
      'request 2026-07-28 list-tools',
    ],
    [
      '7: a malformed envelope, never taken for legacy',
      request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
      {},
      'refused 400 -32602 id 1',
    ],
    [
      '8: a modern header without the envelope',
      request('tools/list', { _meta: { progressToken: 1 } }),
      modernHeaders('tools/list'),
      'refused 400 -32602 id 1',
    ],
    ['9: no header', request('tools/list'), {}, 'request 2025-03-26 list-tools'],
    ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map(
      (version): [string, unknown, { [name: string]: string }, string] => [
        `9: the header ${version}`,
        request('tools/list'),
        { [VERSION]: version },
        `request ${version} list-tools`,
      ],
    ),
    [
      '9: a header that nobody knows',
      request('tools/list'),
      { [VERSION]: '2099-01-01' },
      'refused 400 -32022 id 1',
    ],
    [
      '10: a notification',
      notification('notifications/initialized'),
      {},
      'notification 2025-03-26 other',
    ],
    [
      '10: a cancellation',
      notification('notifications/cancelled', { requestId: 1 }),
      { [VERSION]: '2025-11-25' },
      'notification 2025-11-25 cancel',
    ],
    [
      '10: a notification under a modern header: it is dropped',
      notification('notifications/cancelled', { requestId: 1 }),
      { [VERSION]: '2026-07-28' },
      'notification 2026-07-28 other',
    ],
    [
      '10: a notification with a modern envelope, no header asked for',
      notification('notifications/cancelled', { requestId: 1, _meta: MODERN_META }),
      {},
      'notification 2026-07-28 other',
    ],
    [
      '10: a notification with an envelope of a version to come',
      notification('n', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }),
      {},
      'notification 2026-07-28 other',
    ],
    [
      '10: a notification whose envelope names no version',
      notification('n', { _meta: { 'io.modelcontextprotocol/protocolVersion': 1 } }),
      {},
      'refused 400 -32602 id null',
    ],
    [
      '10: a notification under a header that nobody knows',
      notification('notifications/initialized'),
      { [VERSION]: '1' },
      'refused 400 -32022 id null',
    ],
    ['a response', { jsonrpc: '2.0', id: 'e1', result: {} }, {}, 'response "e1"'],
    [
      'a response under a header that nobody knows',
      { jsonrpc: '2.0', id: 'e1', result: {} },
      { [VERSION]: 'x' },
      'refused 400 -32022 id null',
    ],
  ])('the endpoint answers a body as numbered: %s', (_row, body, headers, what) => {
    expect(shortly(classified(body, headers))).toBe(what)
  })
})

describe('the handshake', () => {
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['2024-10-07', '2025-11-25'],
    ['', '2025-11-25'],
    [7, '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('that asks for %s gets %s', (protocolVersion, version) => {
    expect(workOf(request('initialize', { protocolVersion })).revision.version).toBe(version)
  })

  test('with an array of params is refused in band', () => {
    expect(shortly(classified(request('initialize', [])))).toBe('refused 200 -32602 id 1')
  })
})

describe('a legacy request', () => {
  // Holds: LIFE-10
  test('for an unknown method is answered in band', () => {
    for (const method of [
      'server/discover',
      'subscriptions/listen',
      'completion/complete',
      '__proto__',
    ]) {
      expect(shortly(classified(request(method)))).toBe('refused 200 -32601 id 1')
    }
  })

  // Holds: CALL-2
  test('with params that do not fit is answered in band', () => {
    expect(shortly(classified(request('tools/call', {})))).toBe('refused 200 -32602 id 1')
  })

  // Holds: STR-12
  test('with an unserved version in its header gets the list of served ones', () => {
    expect(classified(request('ping'), { [VERSION]: '2099-01-01' })).toMatchObject({
      error: {
        data: {
          requested: '2099-01-01',
          supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        },
      },
    })
  })

  test('passes on its answer to our question', () => {
    expect(classified('{"jsonrpc":"2.0","id":7.0,"result":{"action":"accept"}}')).toEqual({
      kind: 'response',
      id: '7.0',
      answer: { result: { action: 'accept' } },
    })
    const error = { code: -32601, message: 'no' }
    expect(classified({ jsonrpc: '2.0', id: 'a', error })).toEqual({
      kind: 'response',
      id: '"a"',
      answer: { error },
    })
  })

  test('is not asked for headers of another era', () => {
    const headers = { 'mcp-method': 'other', 'mcp-name': 'other', 'mcp-param-a': 'b' }
    const call = request('tools/call', { name: 'sg_echo' })
    expect(workOf(call, headers).paramHeaders).toBeUndefined()
  })

  // Holds: STR-11
  test('may carry any session id', () => {
    const headers = { 'mcp-session-id': 'long gone' }
    expect(shortly(classified(request('ping'), headers))).toBe('request 2025-03-26 ping')
    expect(shortly(classified(INITIALIZE, headers))).toBe('request 2025-11-25 initialize')
  })
})

describe('the header of the version', () => {
  test.each([
    ['white space around it', ' \t2025-06-18 ', 'request 2025-06-18 ping'],
    ['sent twice', '2025-06-18, 2025-06-18', 'refused 400 -32022 id 1'],
    ['sent twice, differing', '2025-06-18, 2026-07-28', 'refused 400 -32022 id 1'],
    ['empty', '', 'refused 400 -32022 id 1'],
    ['a control character in it', '2025-06-18\u0000', 'refused 400 -32022 id 1'],
    ['another white space around it', '\u00a02025-06-18', 'refused 400 -32022 id 1'],
    ['a name that every object has', '__proto__', 'refused 400 -32022 id 1'],
    ['64 KiB of it', 'v'.repeat(65_536), 'refused 400 -32022 id 1'],
  ])('is read or refused: %s', (_what, value, what) => {
    expect(shortly(classified(request('ping'), { [VERSION]: value }))).toBe(what)
  })

  test('is repeated up to 64 characters', () => {
    expect(classified(request('ping'), { [VERSION]: 'v'.repeat(65_536) })).toMatchObject({
      error: { data: { requested: 'v'.repeat(64) } },
    })
  })
})

describe('limits', () => {
  test('a body of 64 levels is read, and one of 65 is 400', () => {
    const nested = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`
    expect(shortly(classified(nested(64)))).toBe('request 2025-03-26 ping')
    expect(shortly(classified(nested(65)))).toBe('refused 400 -32600 id null')
  })

  test('a body of 1 MiB is read, and one byte more is refused', () => {
    const text = JSON.stringify(request('ping'))
    expect(shortly(classified(text.padEnd(1_048_576)))).toBe('request 2025-03-26 ping')
    expect(shortly(classified(text.padEnd(1_048_577)))).toBe('refused 400 -32600 id null')
  })
})
