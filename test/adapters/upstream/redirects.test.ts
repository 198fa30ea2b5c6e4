import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import { dnsDouble } from './dns-double.ts'
import { httpServer, type TestServer, tcpServer } from './misbehaving-server.ts'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

type ReceivedRequest = {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/** Redirects as its table says, answers `ok` to the rest, and records the requests. */
async function redirecting(table: {
  readonly [path: string]: readonly [status: number, location: string]
}) {
  const requests: ReceivedRequest[] = []
  const server = await httpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { headers, method = '', url = '' } = request
    requests.push({ method, url, body, headers })
    const [status, location] = table[url.split('?')[0] ?? ''] ?? []
    if (status === undefined || location === undefined) return void response.end('ok')
    response.writeHead(status, { location }).end('see there')
  })
  running.push(server)
  return { server, requests: requests }
}

function sender(options: Parameters<typeof httpUpstream>[0]) {
  const upstream = httpUpstream(options)
  running.unshift(upstream)
  return (
    request: Partial<UpstreamRequest> & { url: string },
    signal = new AbortController().signal,
  ): Promise<UpstreamAnswer> =>
    upstream.send(
      { method: 'GET', headers: {}, body: undefined, ...request },
      { responseBytesMax: 1_000, signal, uid: 'ada' },
    )
}

const to = (...servers: readonly TestServer[]) =>
  sender({ outboundAllow: servers.map(({ host }) => host) })

const textOf = (answer: UpstreamAnswer) =>
  answer.kind === 'answered' ? Buffer.from(answer.response.body).toString() : answer

describe('redirects', () => {
  test('are followed three in a row, over one connection', async () => {
    const { requests, server } = await redirecting({
      '/1': [301, '/2'],
      '/2': [307, '3'],
      '/3': [308, '/4?x=y#part'],
    })
    expect(textOf(await to(server)({ url: `${server.url}/1` }))).toBe('ok')
    expect(requests.map(({ url }) => url)).toEqual(['/1', '/2', '/3', '/4?x=y'])
  })

  test('are not followed a fourth time', async () => {
    const { requests, server } = await redirecting({ '/loop': [302, '/loop'] })
    expect(await to(server)({ url: `${server.url}/loop` })).toEqual({
      kind: 'refused_target',
      detail: 'it redirects more than 3 times',
    })
    expect(requests).toHaveLength(4)
  })

  test('to a port without a server are not failed connections of the first host', async () => {
    const gone = await httpServer(() => undefined)
    await gone.close()
    const { server } = await redirecting({ '/': [302, gone.url] })
    expect(await to(server, gone)({ url: `${server.url}/` })).toEqual({
      kind: 'unreachable',
      detail: 'refused the connection',
    })
  })

  test('without a Location are answers', async () => {
    const server = await httpServer((_, response) => void response.writeHead(302).end('where?'))
    running.push(server)
    const answer = await to(server)({ url: server.url })
    expect(answer).toMatchObject({ kind: 'answered', response: { status: 302 } })
  })

  test('of status 300 and 304 are answers', async () => {
    const { server } = await redirecting({ '/300': [300, '/x'], '/304': [304, '/x'] })
    const send = to(server)
    for (const status of [300, 304]) {
      expect(await send({ url: `${server.url}/${status}` })).toMatchObject({ response: { status } })
    }
  })

  test.each([
    ['garbage', 'http://[', 'its redirect does not lead to a valid URL'],
    ["Lambda's runtime", 'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next', 'is http'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/', 'is http'],
    ['a literal over https', 'https://169.254.170.2/v2/credentials', 'names an IP address'],
    ['a number', 'https://2130706433/', 'names an IP address'],
    ['a private host', 'https://metadata.google.internal/', 'names a private host'],
    ['a file', 'file:///proc/self/environ', 'has the scheme file'],
    ['a user', 'https://a@b.example/', 'has a user or password'],
  ])('to %s are refused', async (_, location, why) => {
    const { requests, server } = await redirecting({ '/': [302, location] })
    const answer = await to(server)({ url: `${server.url}/` })
    expect(answer).toEqual({ kind: 'refused_target', detail: expect.stringContaining(why) })
    expect(requests).toHaveLength(1)
  })

  test('to a name that leads inside are refused once the name is resolved', async () => {
    const { server } = await redirecting({ '/': [302, 'https://evil.example/'] })
    const dns = await dnsDouble({ 'evil.example': [['127.0.0.1']] })
    running.push(dns)
    const send = sender({ outboundAllow: [server.host], resolve: dns.resolve })
    expect(await send({ url: `${server.url}/` })).toEqual({
      kind: 'refused_target',
      detail: expect.stringContaining('leads to an address that is not public'),
    })
    expect(dns.asked).toContain('evil.example A')
  })

  test('with two Locations are refused', async () => {
    const server = await tcpServer((socket) => {
      socket.write(
        'HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n',
      )
    })
    running.push(server)
    expect(await to(server)({ url: `${server.url}/` })).toEqual({
      kind: 'refused_target',
      detail: 'its redirect does not lead to a valid URL',
    })
  })

  test('with a Location in UTF-8 are read as such', async () => {
    const { requests, server } = await redirecting({})
    const first = await tcpServer((socket) => {
      socket.write(`HTTP/1.1 302 Found\r\nlocation: ${server.url}/`, 'latin1')
      socket.write(Buffer.from('ü'))
      socket.write('\r\ncontent-length: 0\r\n\r\n')
    })
    running.push(first)
    expect(textOf(await to(server, first)({ url: `${first.url}/` }))).toBe('ok')
    expect(requests.map(({ url }) => url)).toEqual(['/%C3%BC'])
  })
})

describe('a redirected request', () => {
  const secret = { headers: ['x-mine'], query: false, body: false }
  const headers = {
    accept: 'text/plain',
    authorization: 'Bearer secret',
    'x-api-key': 'secret',
    'x-mine': 'secret',
    'content-type': 'text/plain',
  }

  test('carries no credential and no header with a secret to another origin', async () => {
    const second = await redirecting({})
    const first = await redirecting({ '/': [307, `${second.server.url}/x`] })
    const send = to(first.server, second.server)
    const url = `${first.server.url}/`
    expect(textOf(await send({ url, method: 'POST', headers, body: 'x', sensitive: secret }))).toBe(
      'ok',
    )
    expect(first.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-mine': 'secret',
    })
    expect(second.requests[0]).toMatchObject({ method: 'POST', body: 'x' })
    expect(Object.keys(second.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
    ])
    expect(JSON.stringify(second.requests)).not.toContain('secret')
  })

  test('carries everything on its own origin', async () => {
    const { requests, server } = await redirecting({ '/': [308, '/x'] })
    await to(server)({
      url: `${server.url}/`,
      method: 'PUT',
      headers,
      body: 'x',
      sensitive: secret,
    })
    expect(requests[1]).toMatchObject({ method: 'PUT', body: 'x', headers: { 'x-mine': 'secret' } })
  })

  test('is a GET without a body after a 303', async () => {
    const { requests, server } = await redirecting({ '/': [303, '/x'] })
    await to(server)({ url: `${server.url}/`, method: 'POST', headers, body: 'x' })
    expect(requests[1]).toMatchObject({ method: 'GET', body: '' })
    expect(requests[1]?.headers).not.toHaveProperty('content-type')
    expect(requests[1]?.headers).not.toHaveProperty('content-length')
  })

  test.each(['body', 'query'] as const)(
    'a secret in the %s does not go to another origin',
    async (part) => {
      const second = await redirecting({})
      const first = await redirecting({ '/': [307, `${second.server.url}/x`] })
      const sensitive = { headers: [], query: false, body: false, [part]: true }
      const request = {
        url: `${first.server.url}/`,
        method: 'POST',
        body: 'secret',
        sensitive,
      } as const
      expect(await to(first.server, second.server)(request)).toEqual({
        kind: 'refused_target',
        detail: `its redirect leads to another origin, and the request has a secret in its ${part}; let the skill name the final URL`,
      })
      expect(second.requests).toEqual([])
    },
  )
})

describe('the body of a redirect', () => {
  test('that has arrived keeps its connection for the next request', async () => {
    const ports = new Set<number | undefined>()
    const server = await httpServer((request, response) => {
      ports.add(request.socket.remotePort)
      if (request.url === '/x') return void response.end('ok')
      response.writeHead(302, { location: '/x' }).end('see there')
    })
    running.push(server)
    expect(textOf(await to(server)({ url: `${server.url}/` }))).toBe('ok')
    expect(ports.size).toBe(1)
  })

  test.each([
    ['never ends', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['trickles', 'content-length: 100\r\n\r\nx'],
    ['is longer than any answer may be', 'content-length: 100000000000\r\n\r\nx'],
    ['ends with the connection, which it does not', '\r\nx'],
    ['is packed in what nobody knows', 'content-encoding: zstd\r\ncontent-length: 5\r\n\r\nhello'],
  ])('that %s is not waited for', async (_, rest) => {
    let closed = 0
    const server = await tcpServer((socket, text) => {
      socket.on('close', () => {
        closed += 1
      })
      if (text.startsWith('GET /x'))
        return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      socket.write(`HTTP/1.1 302 Found\r\nlocation: /x\r\n${rest}`)
    })
    running.push(server)
    expect(textOf(await to(server)({ url: `${server.url}/` }))).toBe('ok')
    await expect.poll(() => closed).toBeGreaterThan(0)
  })
})

test('the signal cuts between redirects', async () => {
  const guard = new AbortController()
  let requests = 0
  const server = await httpServer((_, response) => {
    requests += 1
    response.writeHead(302, { location: '/x' }).end(() => undefined)
    if (requests === 2) guard.abort()
  })
  running.push(server)
  expect(await to(server)({ url: `${server.url}/` }, guard.signal)).toEqual({ kind: 'cut' })
  expect(requests).toBe(2)
})
