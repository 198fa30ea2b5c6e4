// The REST API front of the admin door around the buffered sample.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LambdaFunction } from './lambda-function.ts'
import type { LocalServer } from './local-server.ts'
import { startRestApi } from './rest-api.ts'
import { type Samples, seenIn, startSamples } from './samples/samples.ts'

let samples: Samples
let fn: LambdaFunction
let api: LocalServer

beforeAll(async () => {
  samples = await startSamples()
  fn = samples.start('buffered')
  api = await startRestApi({ fn })
})
afterAll(async () => {
  await api.stop()
  await samples.stop()
})

describe('the REST API', () => {
  test('gives the handler payload 1.0 with the path behind the stage', async () => {
    const response = await fetch(`${api.url}/v1/admin/users/u%201?x=1&x=2`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-Admin-Key': 'k' },
      body: '{"tier":"pro"}',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer')
    const { event } = await seenIn(response)
    expect(event).toMatchObject({
      resource: '/{proxy+}',
      path: '/admin/users/u%201',
      httpMethod: 'PATCH',
      pathParameters: { proxy: 'admin/users/u%201' },
      queryStringParameters: { x: '2' },
      multiValueQueryStringParameters: { x: ['1', '2'] },
      requestContext: { stage: 'v1', path: '/v1/admin/users/u%201' },
      body: '{"tier":"pro"}',
      isBase64Encoded: false,
    })
    expect(event).not.toHaveProperty('version')
    expect(event.multiValueHeaders['X-Admin-Key']).toEqual(['k'])
  })

  test('gives null where there is no body and no query', async () => {
    const { event } = await seenIn(await fetch(`${api.url}/v1/admin/skills`))
    expect(event).toMatchObject({ body: null, queryStringParameters: null })
  })

  test('knows no path outside its stage and its resource', async () => {
    expect((await fetch(`${api.url}/admin/skills`)).status).toBe(403)
    const narrow = await startRestApi({ fn, resource: '/admin/{proxy+}' })
    const statuses = await Promise.all(
      ['/v1/admin/skills', '/v1/other'].map(
        async (path) => (await fetch(narrow.url + path)).status,
      ),
    )
    await narrow.stop()
    expect(statuses).toEqual([201, 403])
  })

  test('answers 502 for a failure and for an answer without a status', async () => {
    const other = await startRestApi({ fn: samples.start('streaming') })
    const failed = await fetch(`${other.url}/v1/fail-first`)
    const bare = await fetch(`${api.url}/v1/bare`)
    await other.stop()
    expect([failed.status, bare.status]).toEqual([502, 502])
    expect(await bare.json()).toEqual({ message: 'Internal server error' })
  })

  test('answers 504 at its timeout, while the function works on', async () => {
    const hasty = await startRestApi({ fn, timeoutMs: 300 })
    const response = await fetch(`${hasty.url}/v1/slow`)
    await hasty.stop()
    expect(response.status).toBe(504)
    await samples.gate.arrived('slow')
    samples.gate.open('slow')
    await fn.timeline.first('nextPoll', response.headers.get('x-amzn-requestid') ?? '')
  })
})
