import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveSample } from '../../../local/seed/sample-upstream.ts'

let server: Server
let origin = ''
beforeAll(async () => {
  server = createServer((request, response) => void serveSample(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sample`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function ask(path: string, init?: RequestInit) {
  const answer = await fetch(`${origin}${path}`, init)
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

describe('the sample upstream', () => {
  test('tells the same weather in the same city, whatever its case', async () => {
    const weather = { temperatureC: 2, sky: 'light rain', windKmh: 50 }
    expect(await ask('/weather?city=Oslo')).toEqual({
      status: 200,
      body: { city: 'Oslo', ...weather },
    })
    expect(await ask('/weather?city=OSLO')).toEqual({
      status: 200,
      body: { city: 'OSLO', ...weather },
    })
  })

  test('echoes method, query and body, JSON as JSON and text as text', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await ask('/echo?a=1', { method: 'PUT', body: '{"b":[2]}', headers })).toEqual({
      status: 200,
      body: { method: 'PUT', query: { a: '1' }, contentType: 'application/json', body: { b: [2] } },
    })
    expect(await ask('/echo', { method: 'POST', body: 'hé' })).toMatchObject({
      body: { body: 'hé' },
    })
  })

  test('echoes a mebibyte and no more', async () => {
    const fits = 'x'.repeat(1_048_576)
    expect((await ask('/echo', { method: 'POST', body: fits })).status).toBe(200)
    expect(await ask('/echo', { method: 'POST', body: `${fits}x` })).toEqual({
      status: 413,
      body: { error: 'The body is over 1048576 bytes.' },
    })
  })

  test('tells a joke about the topic as it is written', async () => {
    expect(await ask('/joke?topic=$%26')).toMatchObject({ body: { topic: '$&' } })
    const { body } = await ask('/joke?topic=lambdas')
    expect(body.joke).toContain('lambdas')
  })

  test('waits as long as requested, up to 30 s', async () => {
    expect(await ask('/slow?seconds=0.01')).toEqual({ status: 200, body: { waitedSec: 0.01 } })
    const refused = { status: 400, body: { error: 'seconds: is not a number from 0 to 30.' } }
    expect(await ask('/slow?seconds=30.1')).toEqual(refused)
    expect(await ask('/slow?seconds=soon')).toEqual(refused)
  })

  test('waits past the 15 s guard by default, and stops when the caller leaves', async () => {
    const signal = AbortSignal.timeout(30)
    await expect(ask('/slow', { signal })).rejects.toThrow()
  })

  test('fails with the requested status', async () => {
    expect(await ask('/fail?status=503')).toEqual({
      status: 503,
      body: { error: 'Failing with 503, as asked.' },
    })
    expect((await ask('/fail')).status).toBe(500)
    expect((await ask('/fail?status=399')).status).toBe(400)
    expect((await ask('/fail?status=600')).status).toBe(400)
  })

  test('names a working path in the answer to an unknown one', async () => {
    expect(await ask('/nothing')).toEqual({
      status: 404,
      body: { error: 'Nothing at /sample/nothing; try /sample/weather?city=Oslo.' },
    })
  })
})
