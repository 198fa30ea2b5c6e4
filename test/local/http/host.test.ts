import { once } from 'node:events'
import { request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { FunctionUrlEvent } from '../../../adapters/http/events.ts'
import { makeRunningWork } from '../../../adapters/http/running.ts'
import type { Log } from '../../../core/ports/outside.ts'
import { connectDoors, type Doors } from '../../../local/http/host.ts'
import { closePort } from '../../../local/http/listen.ts'
import { createTwinServer } from '../../../local/http/starting-server.ts'

const SILENT: Log = { call: () => {}, note: () => {} }

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A host whose doors echo their event. */
async function started(change: Partial<Doors> = {}): Promise<string> {
  const made = createTwinServer()
  const origin = await listening(made)
  open(made, origin, change)
  return origin
}

/** Answers its origin. */
async function listening(made: Server): Promise<string> {
  server = made
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}

function open(made: Server, origin: string, change: Partial<Doors> = {}): void {
  const echo =
    (door: string): Doors['sse'] =>
    async (event, out) => {
      out.setHead?.({ statusCode: 200, headers: { 'content-type': 'application/json' } })
      out.write(JSON.stringify({ door, event }))
      out.end()
    }
  const doors: Doors = {
    sse: echo('sse'),
    mcp: echo('mcp'),
    execute: echo('execute'),
    admin: async (event) => ({
      statusCode: 201,
      headers: { 'x-door': 'admin' },
      body: JSON.stringify({ door: 'admin', event }),
    }),
    ...change,
  }
  const options = {
    listenHost: '127.0.0.1',
    origin,
    version: '1.2.3',
    holdLastChunk: false,
    loginOrigin: undefined,
  }
  connectDoors(made, {
    options,
    doors,
    running: makeRunningWork(),
    log: SILENT,
    welcome: undefined,
  })
}

/** Over a connection of its own: what waits holds no other request back. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('error', reject)
    request.end()
  })
}

async function ask(url: string, init?: RequestInit) {
  const answer = await fetch(url, init)
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

async function eventOf(url: string, init?: RequestInit): Promise<FunctionUrlEvent> {
  return (await ask(url, init)).body.event
}

describe('the host of the twin', () => {
  test.each([
    ['GET', '/v1/mcp/sse', 'sse'],
    ['POST', '/v1/mcp/sse', 'sse'],
    ['OPTIONS', '/v1/mcp/messages', 'sse'],
    ['POST', '/v1/mcp/messages?session_id=x', 'sse'],
    ['GET', '/.well-known/oauth-authorization-server', 'sse'],
    ['POST', '/register', 'sse'],
    ['POST', '/mcp', 'mcp'],
    ['POST', '/mcp/', 'mcp'],
    ['POST', '/v1/mcp', 'mcp'],
    ['GET', '/v1/mcp/?a=b', 'mcp'],
    ['POST', '/v1/execute', 'execute'],
    ['DELETE', '/v1/execute', 'execute'],
    ['POST', '/v1/admin/sync_skill', 'admin'],
  ])('takes %s %s to the %s door', async (method, path, door) => {
    const origin = await started()
    expect((await ask(origin + path, { method })).body.door).toBe(door)
  })

  test('makes the event that a function URL makes, without any proof of who signed', async () => {
    const origin = await started()
    const event = await eventOf(`${origin}/v1/execute?a=%20b&a=c`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Amzn-Iam': '{"accountId":"1"}' },
      body: '{"skill":"é"}',
    })
    expect(event).toMatchObject({
      version: '2.0',
      rawPath: '/v1/execute',
      rawQueryString: 'a=%20b&a=c',
      headers: { 'content-type': 'application/json', host: new URL(origin).host },
      body: '{"skill":"é"}',
      isBase64Encoded: false,
    })
    expect(event.requestContext.http).toEqual({
      method: 'POST',
      path: '/v1/execute',
      sourceIp: '127.0.0.1',
    })
    expect(event.requestContext).not.toHaveProperty('authorizer')
  })

  test('passes on as base64 a body that is not text, or not the UTF-8 it claims to be', async () => {
    const origin = await started()
    const body = Uint8Array.of(0x22, 0xff, 0x22)
    for (const type of ['application/json', 'application/octet-stream']) {
      const headers = { 'content-type': type }
      const event = await eventOf(`${origin}/v1/execute`, { method: 'POST', headers, body })
      expect(event).toMatchObject({ body: 'Iv8i', isBase64Encoded: true })
    }
  })

  test('makes the event that a REST API at stage v1 makes', async () => {
    const origin = await started()
    const { body, status } = await ask(`${origin}/v1/admin/sync_skill?source=a&source=b%26`, {
      method: 'POST',
      headers: { 'x-admin-key': 'k' },
      body: '{}',
    })
    expect(status).toBe(201)
    expect(body.event).toMatchObject({
      httpMethod: 'POST',
      path: '/admin/sync_skill',
      headers: { 'x-admin-key': 'k' },
      multiValueQueryStringParameters: { source: ['a', 'b&'] },
      requestContext: { stage: 'v1' },
    })
  })

  test('refuses a Host name that an attacker resolves to this machine', async () => {
    const origin = await started()
    const request = httpRequest(`${origin}/healthz`, { headers: { host: 'evil.example' } })
    request.end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(403)
    response.resume()
  })

  test('passes 6 MiB of a body on and refuses one byte more', async () => {
    const origin = await started()
    const headers = { 'content-type': 'text/plain' }
    const fits = 'x'.repeat(6_291_456)
    const event = await eventOf(`${origin}/v1/execute`, { method: 'POST', headers, body: fits })
    expect(event.body?.length).toBe(6_291_456)
    for (const body of [`${fits}x`, fits.repeat(4)]) {
      const refused = await ask(`${origin}/v1/execute`, { method: 'POST', headers, body })
      expect(refused).toMatchObject({
        status: 413,
        body: { detail: 'body: is over 6291456 bytes; send a smaller one.' },
      })
    }
  })

  test('leaves no client waiting for a door that throws or returns without an answer', async () => {
    const origin = await started({
      sse: async () => {
        throw new Error('bug')
      },
      execute: async () => {},
    })
    expect((await ask(`${origin}/register`)).body).toMatchObject({ code: 'internal' })
    expect((await ask(`${origin}/v1/execute`)).status).toBe(503)
  })

  test('answers 503 while it has no doors yet', async () => {
    const origin = await listening(createTwinServer())
    const answer = await fetch(`${origin}/v1/execute`, { method: 'POST' })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test.each([
    ['GET', '/v1/mcp/sse', {}, 'sse'],
    ['POST', '/mcp', { 'mcp-method': 'subscriptions/listen' }, 'mcp'],
  ])(
    'opens a stream that was asked for before it had doors: %s %s',
    async (method, path, headers, door) => {
      const starting = createTwinServer()
      const early = once(starting, 'request')
      const origin = await listening(starting)
      const answer = eventOf(`${origin}${path}`, { method, headers })
      await early
      open(starting, origin)
      expect((await answer).requestContext.http).toMatchObject({ method, path })
      expect((await ask(`${origin}${path}`, { method, headers })).body.door).toBe(door)
    },
  )

  test('cuts the streams that wait for doors when it ends without any', async () => {
    const starting = createTwinServer()
    const early = once(starting, 'request')
    const answer = fetch(`${await listening(starting)}/v1/mcp/sse`)
    await early
    await closePort(starting)
    await expect(answer).rejects.toThrow('fetch failed')
  })

  test('lets 256 streams wait for its doors, and answers the next with 503', async () => {
    const starting = createTwinServer()
    let asked = 0
    const full = new Promise<void>((resolve) => {
      starting.on('request', () => {
        asked += 1
        if (asked === 256) resolve()
      })
    })
    const url = `${await listening(starting)}/v1/mcp/sse`
    const waiting = Array.from({ length: 256 }, () => statusOf(url))
    await full
    expect(await statusOf(url)).toBe(503)
    open(starting, url)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]))
  })

  test('describes itself, and its health', async () => {
    const origin = await started()
    expect((await ask(`${origin}/`)).body).toMatchObject({
      name: 'skillgate',
      agents: `${origin}/mcp`,
    })
    expect(await ask(`${origin}/healthz`)).toEqual({
      status: 200,
      body: { status: 'ok', version: '1.2.3' },
    })
  })

  test.each([
    ['/sse', 'The stream is at GET {origin}/v1/mcp/sse.'],
    ['/v1/mcp/sse/', 'The stream is at GET {origin}/v1/mcp/sse.'],
    [
      '/MCP',
      'MCP over Streamable HTTP is POST {origin}/mcp; over HTTP+SSE ("sse") it is GET {origin}/v1/mcp/sse.',
    ],
    [
      '/api/mcp/',
      'MCP over Streamable HTTP is POST {origin}/mcp; over HTTP+SSE ("sse") it is GET {origin}/v1/mcp/sse.',
    ],
    [
      '/messages',
      "Messages go to the URL that the stream's endpoint event announces; open it with GET {origin}/v1/mcp/sse.",
    ],
    ['/execute', 'Calls go to POST {origin}/v1/execute.'],
    ['/v1/execute/void', 'Calls go to POST {origin}/v1/execute.'],
    [
      '/v1/tools',
      'Agents list and call tools over {origin}/mcp (or {origin}/v1/mcp/sse); one call without an agent is POST {origin}/v1/execute.',
    ],
    [
      '/admin/users',
      'Administration is under {origin}/v1/admin/, for example POST {origin}/v1/admin/sync_skill.',
    ],
    ['/health', 'Health is at {origin}/healthz.'],
    ['/what', '{origin}/ lists the paths.'],
  ])('answers %s with the right path', async (path, hint) => {
    const origin = await started()
    expect(await ask(origin + path)).toEqual({
      status: 404,
      body: {
        type: 'about:blank',
        title: 'Not found',
        status: 404,
        detail: `There is nothing at ${path}. ${hint.replaceAll('{origin}', origin)}`,
        code: 'not_found',
      },
    })
  })
})
