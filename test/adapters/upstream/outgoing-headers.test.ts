import { expect, test } from 'vitest'
import { outgoingHeaders } from '../../../adapters/upstream/outgoing-headers.ts'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'

const GET = { method: 'GET', url: 'https://a.example/', body: undefined } as const
const OURS = 'accept-encoding: gzip, br\r\n'

function lines(request: UpstreamRequest): string {
  const headers = outgoingHeaders(request)
  return headers.ok ? headers.value : headers.error
}

test('the lines of fixed headers are the same at each call, and end with our own', () => {
  const headers = Object.freeze({ Accept: 'text/plain', host: 'b.example', 'x-amz-date': 'now' })
  for (let nth = 0; nth < 2; nth += 1) {
    expect(lines({ ...GET, headers })).toBe(`accept: text/plain\r\n${OURS}`)
    expect(lines({ ...GET, headers, method: 'POST', body: 'h\u00e9' })).toBe(
      `accept: text/plain\r\n${OURS}content-length: 3\r\n`,
    )
  }
})

test('headers that may change are written as they are at each call', () => {
  const headers: { [name: string]: string } = { 'x-a': '1' }
  expect(lines({ ...GET, headers })).toBe(`x-a: 1\r\n${OURS}`)
  headers['x-a'] = '2'
  expect(lines({ ...GET, headers })).toBe(`x-a: 2\r\n${OURS}`)
})

test('a cookie of fixed headers is sent as a credential only, whichever call came first', () => {
  const headers = Object.freeze({ cookie: 'session=1' })
  const sensitive = { headers: ['cookie'], query: false, body: false }
  const [plain, credential] = [
    { ...GET, headers },
    { ...GET, headers, sensitive },
  ]
  const both = [OURS, `cookie: session=1\r\n${OURS}`]
  expect([plain, credential].map(lines)).toEqual(both)
  expect([plain, credential].map(lines)).toEqual(both)
  const other = Object.freeze({ ...headers })
  expect(lines({ ...credential, headers: other })).toBe(both[1])
  expect(lines({ ...plain, headers: other })).toBe(both[0])
})

test('a fixed header that cannot be sent is refused at each call', () => {
  const headers = Object.freeze({ 'x-a': 'b\r\nc: d' })
  const refusal = 'header "x-a": cannot be sent; remove line breaks and controls'
  expect(lines({ ...GET, headers })).toBe(refusal)
  expect(lines({ ...GET, headers })).toBe(refusal)
})
