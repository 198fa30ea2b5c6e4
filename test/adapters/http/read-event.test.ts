import { describe, expect, test } from 'vitest'
import {
  readContext,
  readFunctionUrlEvent,
  readRestApiEvent,
} from '../../../adapters/http/read-event.ts'
import { urlEvent } from './lambda-host.ts'

describe('a function URL event', () => {
  // Holds: HDR-8
  test('is read with lower-case header names and the proven caller', () => {
    const read = readFunctionUrlEvent(
      urlEvent({
        headers: { 'Content-Type': 'application/json', 'x-number': 3 },
        body: '{}',
        requestContext: {
          http: { method: 'POST', path: '/p', sourceIp: '192.0.2.1' },
          authorizer: {
            iam: { accountId: '123456789012', userArn: 'arn:aws:sts::1:x', callerId: 'c' },
          },
          requestId: 'r-1',
          domainName: 'd',
        },
      }),
    )
    expect(read).toEqual({
      version: '2.0',
      rawPath: '/v1/execute',
      rawQueryString: '',
      headers: { 'content-type': 'application/json' },
      requestContext: {
        http: { method: 'POST', path: '/p', sourceIp: '192.0.2.1' },
        authorizer: { iam: { accountId: '123456789012', userArn: 'arn:aws:sts::1:x' } },
        requestId: 'r-1',
        domainName: 'd',
      },
      body: '{}',
      isBase64Encoded: false,
    })
  })

  test.each([[undefined], [null], ['{}'], [{}], [{ version: '1.0' }], [{ version: '2.0' }]])(
    'of another shape (%j) is a fault',
    (value) => {
      expect(() => readFunctionUrlEvent(value)).toThrow('not a function URL request of payload 2.0')
    },
  )

  test.each([
    [{}],
    [{ iam: null }],
    [{ iam: {} }],
    [{ iam: { accountId: 1, userArn: 'a' } }],
    [{ jwt: {} }],
  ])('with an authorizer of %j proves no caller', (authorizer) => {
    const requestContext = { http: { method: 'GET' }, authorizer }
    expect(readFunctionUrlEvent(urlEvent({ requestContext })).requestContext).not.toHaveProperty(
      'authorizer',
    )
  })

  test('with a header named __proto__ has an ordinary header of that name', () => {
    const event = urlEvent({ headers: JSON.parse('{"__proto__":"x","a":"1"}') })
    expect(Object.entries(readFunctionUrlEvent(event).headers)).toEqual([
      ['__proto__', 'x'],
      ['a', '1'],
    ])
  })
})

describe('a REST API event', () => {
  const event = (more: object) => ({
    httpMethod: 'GET',
    path: '/admin/skills',
    requestContext: { requestId: 'r-2', stage: 'v1' },
    headers: null,
    body: null,
    ...more,
  })

  test.each([
    ['/admin/skills', '/admin/skills'],
    ['/v1/admin/skills', '/admin/skills'],
    ['/v1', '/v1'],
    ['/v10/admin', '/v10/admin'],
  ])('with path %s has the path %s without its stage', (path, expected) => {
    expect(readRestApiEvent(event({ path })).path).toBe(expected)
  })

  test('joins headers whose names differ only in case', () => {
    const headers = { Authorization: 'Bearer a', authorization: 'Bearer b' }
    expect(readRestApiEvent(event({ headers })).headers['authorization']).toBe('Bearer a,Bearer b')
    const multiValueHeaders = { Authorization: ['Bearer a'], authorization: ['Bearer b'] }
    const read = readRestApiEvent(event({ headers: {}, multiValueHeaders }))
    expect(read.headers['authorization']).toBe('Bearer a,Bearer b')
  })

  test('has all values of repeated headers and parameters', () => {
    const read = readRestApiEvent(
      event({
        headers: { 'X-A': '2' },
        multiValueHeaders: { 'X-A': ['1', '2'] },
        queryStringParameters: { q: 'b' },
        multiValueQueryStringParameters: { q: ['a', 'b'], r: ['c'] },
      }),
    )
    expect(read.headers).toEqual({ 'x-a': '1,2' })
    expect(read.query).toEqual([
      ['q', 'a'],
      ['q', 'b'],
      ['r', 'c'],
    ])
  })

  test('has the single parameters where the host gives no lists', () => {
    expect(readRestApiEvent(event({ queryStringParameters: { q: 'b' } })).query).toEqual([
      ['q', 'b'],
    ])
  })

  test('of another shape is a fault', () => {
    expect(() => readRestApiEvent({ version: '2.0' })).toThrow('not a REST API request')
  })
})

describe('a context', () => {
  test('asks its host for the time left at each call', () => {
    let left = 500
    const context = readContext({ awsRequestId: 'i-1', getRemainingTimeInMillis: () => left })
    expect(context.getRemainingTimeInMillis()).toBe(500)
    left = 300
    expect(context.getRemainingTimeInMillis()).toBe(300)
    expect(context.awsRequestId).toBe('i-1')
  })

  test('without a host has no end', () => {
    expect(readContext(undefined).getRemainingTimeInMillis()).toBe(Number.POSITIVE_INFINITY)
  })
})
