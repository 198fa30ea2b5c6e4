import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMessage } from '../../../core/jsonrpc/read-message.ts'
import {
  writeErrorReply,
  writeNotification,
  writeNotificationText,
  writeRequest,
  writeResultReply,
  writeResultText,
} from '../../../core/jsonrpc/write-message.ts'

test('a result carries the id verbatim', () => {
  expect(writeResultReply('0', {})).toBe('{"jsonrpc":"2.0","id":0,"result":{}}')
  expect(writeResultReply('12345678901234567890', { a: null })).toBe(
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"a":null}}',
  )
})

test('an error carries the id, or null where none could be read', () => {
  expect(writeErrorReply('"a"', { code: -32601, message: 'no "such" method' })).toBe(
    '{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no \\"such\\" method"}}',
  )
  expect(writeErrorReply(null, { code: -32700, message: 'x', data: [1] })).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":[1]}}',
  )
})

test('requests and notifications without params have no params member', () => {
  expect(writeRequest('"ping-1"', 'ping')).toBe('{"jsonrpc":"2.0","id":"ping-1","method":"ping"}')
  expect(writeNotification('notifications/tools/list_changed')).toBe(
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  )
  expect(writeNotification('n', { a: 1 })).toBe('{"jsonrpc":"2.0","method":"n","params":{"a":1}}')
})

test('JSON text is inserted verbatim', () => {
  expect(writeNotificationText('n', '{"progressToken":12345678901234567890}')).toBe(
    '{"jsonrpc":"2.0","method":"n","params":{"progressToken":12345678901234567890}}',
  )
  expect(writeResultText('1.0', '{"id":1.0}')).toBe(
    '{"jsonrpc":"2.0","id":1.0,"result":{"id":1.0}}',
  )
})

// Holds: RPC-4, RPC-5
test('a written reply is one line and reads back as a response with the same id', () => {
  const id = fc.oneof(
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    fc.uuid().map((text) => JSON.stringify(text)),
  )
  fc.assert(
    fc.property(id, fc.jsonValue(), (idText, result) => {
      const text = writeResultReply(idText, { text: `${JSON.stringify(result)}\r\n` })
      expect(text).not.toMatch(/[\r\n]/)
      expect(JSON.parse(text).result.text).toBe(`${JSON.stringify(result)}\r\n`)
      expect(readMessage(writeResultReply(idText, {}))).toEqual({
        ok: true,
        value: { kind: 'response', id: idText, answer: { result: {} } },
      })
    }),
    { seed: 20_241_105, numRuns: 500 },
  )
})
