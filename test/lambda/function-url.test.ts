// The function URL in front of the samples: the event, and the client's view.

import { request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Samples, seenIn, startSamples } from './samples/samples.ts'

let samples: Samples
beforeEach(async () => {
  samples = await startSamples()
})
afterEach(() => samples.stop())

async function eventIn(response: Response) {
  return (await seenIn(response)).event
}

describe('the event of a function URL', () => {
  test('the event is payload 2.0', async () => {
    const fn = samples.start('buffered')
    const { url, host } = await samples.url(fn)
    const response = await fetch(`${url}/v1/a%20b?x=1&y=%C3%A9&x=2`, {
      method: 'POST',
      headers: [
        ['X-Twice', 'one'],
        ['X-Twice', 'two'],
        ['Cookie', 'a=1; b=2'],
        ['Content-Type', 'application/json; charset=utf-8'],
        ['X-Forwarded-For', '203.0.113.9'],
      ],
      body: '{"é":1}',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-served')).toBe('1')
    expect(response.headers.get('www-authenticate')).toBe(null)
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer')
    const requestId = response.headers.get('x-amzn-requestid')
    const event = await eventIn(response)
    expect(event).toMatchObject({
      version: '2.0',
      rawPath: '/v1/a%20b',
      rawQueryString: 'x=1&y=%C3%A9&x=2',
      queryStringParameters: { x: '1,2', y: 'é' },
      cookies: ['a=1', 'b=2'],
      headers: { 'x-twice': 'one, two', 'x-forwarded-for': '127.0.0.1', host },
      requestContext: {
        accountId: 'anonymous',
        domainName: host,
        requestId,
        http: { method: 'POST', path: '/v1/a%20b', sourceIp: '127.0.0.1' },
      },
      body: '{"é":1}',
      isBase64Encoded: false,
    })
    expect(event.requestContext).not.toHaveProperty('authorizer')
    expect(fn.timeline.kinds(requestId ?? '')).toContain('given')
  })

  test("the event comes under the URL's own host name only: a request that names another finds no function", async () => {
    const fn = samples.start('buffered')
    const { refusals, url } = await samples.url(fn)
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(url, { headers: { host }, agent: false }, (response) => {
          response.resume()
          response.once('end', () => resolve(response.statusCode))
        })
        request.once('error', reject).end()
      })
    expect(await statusFor('evil.example.com')).toBe(403)
    expect(refusals).toEqual(['no function has this host name'])
    expect(await statusFor(new URL(url).host)).toBe(201)
  })

  test('the event joins repeated headers and carries other bodies in base64', async () => {
    const { url } = await samples.url(samples.start('buffered'))
    const headers = { 'x-many': ['one', 'two'], 'content-type': 'application/octet-stream' }
    const text = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(url, { method: 'PUT', headers }, (response) => {
        response.setEncoding('utf8').once('data', resolve)
      })
      request.once('error', reject)
      request.end(Buffer.from([0xff, 0x00]))
    })
    const { event } = JSON.parse(text)
    expect(event).toMatchObject({ body: '/wA=', isBase64Encoded: true })
    expect(event.headers['x-many']).toBe('one,two')
  })

  test('the event has neither body nor query where the client sent none', async () => {
    const event = await eventIn(await fetch((await samples.url(samples.start('buffered'))).url))
    expect(event).toMatchObject({ rawPath: '/', rawQueryString: '', isBase64Encoded: false })
    expect(Object.keys(event)).not.toContain('body')
    expect(Object.keys(event)).not.toContain('queryStringParameters')
  })

  test('the event shows the alias whose URL was called', async () => {
    const { url } = await samples.url(samples.start('buffered'), { qualifier: 'inner' })
    const event = await seenIn(await fetch(url))
    expect(event.invokedFunctionArn).toMatch(/:function:buffered:inner$/)
  })

  test('the event is refused past 6 MB', async () => {
    const { url } = await samples.url(samples.start('buffered'))
    const body = 'x'.repeat(6_291_456)
    const response = await fetch(url, { method: 'POST', body })
    expect(response.status).toBe(413)
  })
})

describe('the answer of a function URL', () => {
  test('the answer streams chunk by chunk, with status, headers and cookies of the prelude', async () => {
    const response = await fetch(`${(await samples.url(samples.start('streaming'))).url}/chunks`)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2'])
    const read = readerOf(response)
    expect(await read()).toBe('first\n')
    samples.gate.open('second')
    expect(await read()).toBe('second\n')
    samples.gate.open('third')
    expect(await read()).toBe('third\n')
    expect(await read()).toBe(undefined)
  })

  test('the answer holds a small chunk until the next write where the test asks for it', async () => {
    const { url } = await samples.url(samples.start('streaming'), { holdLastChunk: true })
    const read = readerOf(await fetch(`${url}/chunks`))
    const first = read()
    await samples.gate.arrived('second')
    expect(await Promise.race([first, delay(300, 'nothing yet')])).toBe('nothing yet')
    samples.gate.open('second')
    expect(await first).toBe('first\n')
    samples.gate.open('third')
    expect(await rest(read)).toBe('second\nthird\n')
  })

  test('the answer is 502 for a failure before the first byte', async () => {
    for (const path of ['/fail-first', '/end-only']) {
      const response = await fetch(`${(await samples.url(samples.start('streaming'))).url}${path}`)
      expect(response.status).toBe(502)
    }
    expect((await fetch(`${(await samples.url(samples.start('buffered'))).url}/fail`)).status).toBe(
      502,
    )
  })

  test('the answer breaks off for a failure on the way', async () => {
    const response = await fetch(
      `${(await samples.url(samples.start('streaming'))).url}/fail-midway`,
    )
    expect(response.status).toBe(200)
    const read = readerOf(response)
    expect(await read()).toBe('half')
    samples.gate.open('half')
    await expect(read()).rejects.toThrow()
  })

  test('the answer is the JSON itself where the handler names no status', async () => {
    const response = await fetch(`${(await samples.url(samples.start('buffered'))).url}/bare`)
    expect([response.status, await response.json()]).toEqual([200, { just: 'json' }])
  })

  test('the answer goes on for a client that went away: the function is not told', async () => {
    const fn = samples.start('streaming')
    const { url } = await samples.url(fn)
    const leave = new AbortController()
    const response = await fetch(`${url}/chunks`, { signal: leave.signal })
    const requestId = response.headers.get('x-amzn-requestid') ?? ''
    await samples.gate.arrived('second')
    leave.abort()
    samples.gate.open('second')
    samples.gate.open('third')
    await fn.timeline.first('nextPoll', requestId)
    const expected = ['given', 'prelude', 'chunk', 'chunk', 'chunk', 'responseEnd', 'nextPoll']
    expect(fn.timeline.kinds(requestId)).toEqual(expected)
  })

  test('the answer is 429 past the concurrency limit', async () => {
    const fn = samples.start('streaming', { concurrencyMax: 2 })
    const { url } = await samples.url(fn)
    const held = await Promise.all([1, 2].map(() => fetch(`${url}/hang`)))
    expect((await fetch(`${url}/hang`)).status).toBe(429)
    expect(held.map((one) => one.status)).toEqual([200, 200])
    await fn.killAll()
    await expect(Promise.all(held.map((one) => one.text()))).rejects.toThrow()
  })
})

function readerOf(response: Response): () => Promise<string | undefined> {
  const reader = response.body?.getReader()
  return async () => {
    const step = await reader?.read()
    return step?.value === undefined ? undefined : Buffer.from(step.value).toString('utf8')
  }
}

async function rest(read: () => Promise<string | undefined>): Promise<string> {
  const chunk = await read()
  return chunk === undefined ? '' : chunk + (await rest(read))
}
