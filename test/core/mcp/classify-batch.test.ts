import { describe, expect, test } from 'vitest'
import { BATCH_MESSAGES_MAX } from '../../../core/mcp/classify-batch.ts'
import { classified, MODERN_META, request, shortly } from './posted.ts'

function batchOf(body: unknown) {
  const classification = classified(body)
  if (classification.kind !== 'batch') throw new Error(shortly(classification))
  return classification
}

function pings(count: number) {
  return Array.from({ length: count }, (_, index) => request('ping', undefined, index))
}

test('each message is classified by itself, in order', () => {
  const items = batchOf([
    request('ping', undefined, 0),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } },
    { jsonrpc: '2.0', id: 'e1', result: 1 },
    request('completion/complete', undefined, 'b'),
    request('tools/call', {}, 2),
    { id: 3, method: 'ping' },
    7,
    [request('ping')],
  ]).items
  expect(items.map(shortly)).toEqual([
    'request 2025-03-26 ping',
    'notification 2025-03-26 cancel',
    'response "e1"',
    'refused 200 -32601 id "b"',
    'refused 200 -32602 id 2',
    'refused 400 -32600 id 3',
    'refused 400 -32600 id null',
    'refused 400 -32600 id null',
  ])
})

test('ids and tokens of a batch come back as they were written', () => {
  const text =
    '[{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"},' +
    '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":2.0}}},' +
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3.0}}]'
  expect(batchOf(text).items).toMatchObject([
    { id: '12345678901234567890' },
    { id: '1.0', intent: { progressToken: '2.0' } },
    { notice: { kind: 'cancel', requestId: '3.0' } },
  ])
})

test('a batch of 50 messages is taken, and one of 51 is refused', () => {
  expect(BATCH_MESSAGES_MAX).toBe(50)
  expect(batchOf(pings(50)).items).toHaveLength(50)
  expect(classified(pings(51))).toEqual({
    kind: 'refused',
    status: 400,
    id: null,
    error: { code: -32600, message: 'body: has over 50 messages; send fewer at a time' },
  })
})

describe('a batch that is refused', () => {
  // Holds: RPC-10
  test.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'a batch is refused whole under the header %s',
    (version) => {
      expect(classified(pings(1), { 'mcp-protocol-version': version })).toMatchObject({
        status: 400,
        error: {
          code: -32600,
          message: `body: ${version} has no batches; send one message per POST`,
        },
      })
    },
  )

  test('a batch is refused whole under a header with an unknown revision', () => {
    const classification = classified(pings(1), { 'mcp-protocol-version': 'x' })
    expect(shortly(classification)).toBe('refused 400 -32022 id null')
  })

  // Holds: RPC-9
  test.each<[string, unknown[]]>([
    ['with a handshake in it', [request('ping'), request('initialize', {})]],
    ['with a handshake that nobody waits for', [{ jsonrpc: '2.0', method: 'initialize' }]],
    ['with a modern request', [request('tools/list', { _meta: MODERN_META })]],
    [
      'with a modern notification',
      [{ jsonrpc: '2.0', method: 'n', params: { _meta: MODERN_META } }],
    ],
    ['with nothing in it', []],
  ])('a batch is refused whole %s', (_what, body) => {
    expect(shortly(classified(body))).toBe('refused 400 -32600 id null')
  })
})
