import { expect, test } from 'vitest'
import { selectOutgoingHeaders } from '../../../adapters/upstream/outgoing-headers.ts'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'

const GET = { method: 'GET', url: 'https://a.example/', body: undefined } as const

function sent(request: UpstreamRequest): string {
  const headers = selectOutgoingHeaders(request, 'a.example')
  return headers.ok ? headers.value.join(' ') : headers.error
}

test('the headers of a skill are sent between the host and our own', () => {
  const headers = { Accept: 'text/plain', host: 'b.example', 'x-amz-date': 'now' }
  expect(sent({ ...GET, headers })).toBe(
    'host a.example accept text/plain accept-encoding gzip, br connection keep-alive',
  )
  expect(sent({ ...GET, headers, method: 'POST', body: 'h\u00e9' })).toBe(
    'host a.example accept text/plain accept-encoding gzip, br content-length 3 connection keep-alive',
  )
})

test('a cookie is sent as a credential only', () => {
  const headers = { cookie: 'session=1' }
  const sensitive = { headers: ['cookie'], query: false, body: false }
  expect(sent({ ...GET, headers })).not.toContain('cookie')
  expect(sent({ ...GET, headers, sensitive })).toContain('cookie session=1')
})

test('a header that cannot be sent is refused', () => {
  expect(sent({ ...GET, headers: { 'x-a': 'b\r\nc: d' } })).toBe(
    'header "x-a": cannot be sent; remove line breaks and controls',
  )
})
