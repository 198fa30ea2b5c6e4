import { expect, test } from 'vitest'
import { readMessage } from '../../../core/jsonrpc/read-message.ts'
import { readCancelled } from '../../../core/mcp/read-cancelled.ts'

function noticeOf(method: string, params: string) {
  const text = `{"jsonrpc":"2.0","method":"${method}","params":${params}}`
  const read = readMessage(text)
  if (!read.ok || read.value.kind !== 'notification') throw new Error('not a notification')
  return readCancelled(read.value, text)
}

test('a cancellation names its request exactly as the request named itself', () => {
  for (const id of ['0', '-7', '1.0', '12345678901234567890', '"a"', '"0"']) {
    expect(noticeOf('notifications/cancelled', `{"requestId":${id},"reason":"1.5"}`)).toEqual({
      kind: 'cancel',
      requestId: id,
    })
  }
})

test('a cancellation without a request has no effect', () => {
  for (const params of ['{}', '{"requestId":null}', '{"requestId":{}}', '[1]', 'null']) {
    expect(noticeOf('notifications/cancelled', params)).toEqual({ kind: 'other' })
  }
})

test('other notifications have no effect, whatever they carry', () => {
  for (const method of ['notifications/initialized', 'notifications/progress', 'tools/call']) {
    expect(noticeOf(method, '{"requestId":1}')).toEqual({ kind: 'other' })
  }
})
