import { describe, expect, test } from 'vitest'
import {
  type AdminAnswer,
  type AdminRequest,
  makeAdminDoor,
  toRefusalAnswer,
} from '../../../adapters/http/admin-kit.ts'
import { Fault } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/outside.ts'

const context = { awsRequestId: 'i-1', getRemainingTimeInMillis: () => 25_000 }

function restEvent(more: object = {}) {
  return {
    httpMethod: 'POST',
    path: '/admin/sync_skill',
    headers: { 'Content-Type': 'application/json' },
    multiValueQueryStringParameters: { source: ['market'] },
    requestContext: { requestId: 'r-1', stage: 'v1', identity: { sourceIp: '192.0.2.7' } },
    body: '{"a":1}',
    isBase64Encoded: false,
    ...more,
  }
}

function door(handle: (request: AdminRequest) => Promise<AdminAnswer>) {
  const notes: unknown[][] = []
  const log: Log = { call: () => undefined, note: (...note) => void notes.push(note) }
  return { call: makeAdminDoor({ log, handle }), notes }
}

test('the handler gets a parsed request, and its answer leaves as JSON', async () => {
  const requests: AdminRequest[] = []
  const { call } = door(async (request) => {
    requests.push(request)
    return { status: 201, body: { ok: true }, headers: { location: '/there' } }
  })
  expect(await call(restEvent(), context)).toEqual({
    statusCode: 201,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
      location: '/there',
    },
    body: '{"ok":true}',
    isBase64Encoded: false,
  })
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/admin/sync_skill',
    headers: { 'content-type': 'application/json' },
    requestId: 'r-1',
    sourceAddress: '192.0.2.7',
  })
  expect(requests[0]?.query.get('source')).toBe('market')
  expect(Buffer.from(requests[0]?.body ?? []).toString()).toBe('{"a":1}')
})

test('an empty answer has no content type', async () => {
  const { call } = door(async () => ({ status: 204, body: undefined }))
  const answer = await call(restEvent({ body: null }), context)
  expect(answer).toMatchObject({ statusCode: 204, body: '' })
  expect(answer.headers).not.toHaveProperty('content-type')
})

test('a refusal is a problem document with the headers of its status', async () => {
  const { call } = door(async () => toRefusalAnswer({ code: 'unauthenticated', detail: 'no' }))
  expect(await call(restEvent(), context)).toMatchObject({
    statusCode: 401,
    headers: {
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer realm="skillgate"',
    },
    body: '{"type":"about:blank","title":"Unknown or missing credential","status":401,"detail":"no","code":"unauthenticated","wwwAuthenticate":"Bearer realm=\\"skillgate\\""}',
  })
})

describe('limits', () => {
  test('a body of 3 MB is accepted, one byte more is refused', async () => {
    const { call } = door(async (request) => ({
      status: 200,
      body: { bytes: request.body.length },
    }))
    expect((await call(restEvent({ body: 'x'.repeat(3_000_000) }), context)).body).toBe(
      '{"bytes":3000000}',
    )
    expect(await call(restEvent({ body: 'x'.repeat(3_000_001) }), context)).toMatchObject({
      statusCode: 413,
    })
  })

  test('headers over their limit are refused', async () => {
    const { call } = door(async () => ({ status: 200, body: {} }))
    expect(await call(restEvent({ headers: { a: 'x'.repeat(8_193) } }), context)).toMatchObject({
      statusCode: 431,
    })
  })
})

describe('an error that is thrown', () => {
  test.each([
    [new Fault('store_unavailable', 'throttled table t'), 503, 'store_unavailable'],
    [new TypeError('secretThing'), 500, 'internal'],
    ['a string', 500, 'internal'],
  ])('the thrown error %s becomes %d', async (cause, statusCode, code) => {
    const { call, notes } = door(() => Promise.reject(cause))
    const answer = await call(restEvent(), context)
    expect(answer).toMatchObject({ statusCode })
    expect(answer.body).not.toMatch(/secretThing|table t|a string/)
    expect(notes).toEqual([['error', 'door-failed', { code, requestId: 'i-1' }, cause]])
  })

  test("work that outlasts the function becomes 504 before the function's end", async () => {
    const { call, notes } = door(() => new Promise(() => undefined))
    const almostOver = { awsRequestId: 'i-1', getRemainingTimeInMillis: () => 505 }
    expect(await call(restEvent(), almostOver)).toMatchObject({ statusCode: 504 })
    expect(notes).toHaveLength(1)
  })
})

test('work on a host without an end is not cut', async () => {
  const { call } = door(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { status: 200, body: {} }
  })
  const endless = { awsRequestId: 'i-1', getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }
  expect(await call(restEvent(), endless)).toMatchObject({ statusCode: 200 })
})
