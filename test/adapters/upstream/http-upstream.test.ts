import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { runWithTrace } from '../../../adapters/config/trace.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { describeUnreachable } from '../../../adapters/upstream/unreachable.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import { httpServer, type TestServer, tcpServer } from './misbehaving-server.ts'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

function started(server: TestServer): TestServer {
  running.push(server)
  return server
}

function upstreamFor(server: TestServer) {
  const upstream = httpUpstream({ outboundAllow: [server.host] })
  running.unshift(upstream)
  const never = new AbortController().signal
  return (
    request: Partial<UpstreamRequest> & { path?: string } = {},
    limits: { responseBytesMax?: number; signal?: AbortSignal } = {},
  ): Promise<UpstreamAnswer> => {
    const { path = '/', ...rest } = request
    return upstream.send(
      { method: 'GET', url: `${server.url}${path}`, headers: {}, body: undefined, ...rest },
      { responseBytesMax: 1_000, signal: never, ...limits, uid: 'ada' },
    )
  }
}

function textOf(answer: UpstreamAnswer): string {
  return answer.kind === 'answered' ? Buffer.from(answer.response.body).toString() : answer.kind
}

describe('a well-behaved upstream', () => {
  test('gives back its status, media type, charset and bytes', async () => {
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          response.writeHead(201, { 'content-type': 'Text/Plain; charset="ISO-8859-1"' })
          response.end(Buffer.from([0xe9]))
        }),
      ),
    )
    expect(await send()).toEqual({
      kind: 'answered',
      response: {
        status: 201,
        mediaType: 'text/plain',
        charset: 'iso-8859-1',
        body: Buffer.from([0xe9]),
      },
    })
  })

  test('receives method, path, query, body and headers, without those of a hop or of AWS', async () => {
    const send = upstreamFor(
      started(
        await httpServer(async (request, response) => {
          let body = ''
          for await (const chunk of request) body += chunk
          response.end(JSON.stringify([request.method, request.url, body, request.headers]))
        }),
      ),
    )
    const answer = await send({
      method: 'POST',
      path: '/a%20b?q=1',
      body: 'é',
      headers: {
        'content-type': 'application/json',
        'x-mine': 'yes',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        cookie: 'a=b',
        host: 'elsewhere.example',
        te: 'trailers',
        'transfer-encoding': 'chunked',
        'content-length': '999',
        'x-amz-security-token': 'secret',
      },
    })
    const [method, url, body, headers] = JSON.parse(textOf(answer))
    expect([method, url, body]).toEqual(['POST', '/a%20b?q=1', 'é'])
    expect(Object.keys(headers).sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-mine',
    ])
    expect(headers['content-length']).toBe('2')
    expect(headers.host).toMatch(/^127\.0\.0\.1:\d+$/)
  })

  test('receives the running trace in the place of any other', async () => {
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          response.end(request.headers['traceparent'] ?? 'none')
        }),
      ),
    )
    const headers = { traceparent: '00-22222222222222222222222222222222-2222222222222222-01' }
    const incoming = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01'
    expect(textOf(await send({ headers }))).toBe('none')
    expect(await runWithTrace(incoming, async () => textOf(await send({ headers })))).toMatch(
      /^00-0123456789abcdef0123456789abcdef-(?!0123456789abcdef)[0-9a-f]{16}-01$/,
    )
  })

  test('receives the trace of each request, though several wait for one turn to end', async () => {
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          response.end(request.headers['traceparent'] ?? 'none')
        }),
      ),
    )
    const ids = ['1', '2', '3'].map((digit) => digit.repeat(32))
    const sends = ids.map((id) => runWithTrace(`00-${id}-0123456789abcdef-01`, () => send()))
    const traces = await Promise.all([...sends, send()])
    expect(traces.map((answer) => textOf(answer).replace('none', '').slice(3, 35))).toEqual([
      ...ids,
      '',
    ])
  })

  test.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['DELETE', undefined],
    ['POST', '0'],
    ['PUT', '0'],
    ['PATCH', '0'],
  ] as const)('a request of %s without a body has the length %s', async (method, length) => {
    const lengths: (string | undefined)[] = []
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          lengths.push(request.headers['content-length'])
          response.end()
        }),
      ),
    )
    expect(await send({ method })).toMatchObject({ kind: 'answered' })
    expect(lengths).toEqual([length])
  })

  test.each([
    ['120', '120'],
    ['Sat, 21 Nov 2026 08:00:00 GMT', 'Sat, 21 Nov 2026 08:00:00 GMT'],
    [undefined, undefined],
  ])('Retry-After %s comes back as it was sent', async (header, retryAfter) => {
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          response.writeHead(429, header === undefined ? {} : { 'retry-after': header }).end()
        }),
      ),
    )
    const answer = await send()
    expect(answer.kind === 'answered' && answer.response.retryAfter).toBe(retryAfter)
  })

  test.each([
    ['gzip', gzipSync('hello')],
    ['x-gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('a body in %s is unpacked', async (encoding, body) => {
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(body)
        }),
      ),
    )
    expect(textOf(await send())).toBe('hello')
  })

  test('may declare a packed, long body in a HEAD answer, which has none', async () => {
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '5000' }).end()
        }),
      ),
    )
    expect(await send({ method: 'HEAD' })).toMatchObject({
      kind: 'answered',
      response: { status: 200, body: Buffer.alloc(0) },
    })
  })

  test('keeps its sockets for the next request', async () => {
    const ports = new Set<number | undefined>()
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          ports.add(request.socket.remotePort)
          response.end('ok')
        }),
      ),
    )
    await send()
    await new Promise(setImmediate)
    await send()
    expect(ports.size).toBe(1)
  })
})

describe('limits', () => {
  test('a body at the cap is read, one byte more is too large', async () => {
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          response.end('x'.repeat(Number(request.url?.slice(1))))
        }),
      ),
    )
    expect(textOf(await send({ path: '/1000' }))).toHaveLength(1_000)
    expect(await send({ path: '/1001' })).toEqual({ kind: 'too_large', bytesMax: 1_000 })
  })

  test('an endless body is given up at the cap', async () => {
    let closed = 0
    const server = started(
      await httpServer((_, response) => {
        const timer = setInterval(() => response.write('x'.repeat(400)), 1)
        response.on('close', () => {
          clearInterval(timer)
          closed += 1
        })
      }),
    )
    expect(await upstreamFor(server)()).toEqual({ kind: 'too_large', bytesMax: 1_000 })
    await expect.poll(() => closed).toBe(1)
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(200_000))],
    ['br', brotliCompressSync(Buffer.alloc(200_000))],
  ])('a %s bomb is too large although few bytes arrive', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(1_000)
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
        }),
      ),
    )
    expect(await send()).toEqual({ kind: 'too_large', bytesMax: 1_000 })
  })

  test('a packed body that unpacks to the cap exactly is read', async () => {
    const send = upstreamFor(
      started(
        await httpServer((request, response) => {
          const bytes = Number(request.url?.slice(1))
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(bytes)))
        }),
      ),
    )
    expect(textOf(await send({ path: '/1000' }))).toHaveLength(1_000)
    expect(await send({ path: '/1001' })).toEqual({ kind: 'too_large', bytesMax: 1_000 })
  })

  test('headers over 32 KiB end the answer', async () => {
    const send = upstreamFor(
      started(
        await tcpServer((socket) => {
          socket.write(
            `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(33_000)}\r\ncontent-length: 0\r\n\r\n`,
          )
        }),
      ),
    )
    expect(await send()).toEqual({
      kind: 'unreadable',
      detail: 'sent headers over 32768 bytes',
    })
  })
})

describe('a request that its signal cuts', () => {
  test('the signal cuts a request before anything is sent', async () => {
    let requests = 0
    const send = upstreamFor(
      started(
        await httpServer(() => {
          requests += 1
        }),
      ),
    )
    expect(await send({}, { signal: AbortSignal.abort() })).toEqual({ kind: 'cut' })
    expect(requests).toBe(0)
  })

  test('the signal cuts a request to an upstream that hangs, and closes the socket', async () => {
    let closed = false
    const guard = new AbortController()
    const send = upstreamFor(
      started(
        await httpServer((request) => {
          request.socket.on('close', () => {
            closed = true
          })
          guard.abort()
        }),
      ),
    )
    expect(await send({}, { signal: guard.signal })).toEqual({ kind: 'cut' })
    await expect.poll(() => closed).toBe(true)
  })

  test('the signal cuts a request during a body that trickles', async () => {
    const guard = new AbortController()
    let bytes = 0
    const send = upstreamFor(
      started(
        await httpServer((_, response) => {
          const timer = setInterval(() => {
            response.write('x')
            bytes += 1
            if (bytes === 5) guard.abort()
          }, 1)
          response.on('close', () => clearInterval(timer))
        }),
      ),
    )
    expect(await send({}, { signal: guard.signal })).toEqual({ kind: 'cut' })
  })
})

describe('a failed connection', () => {
  test('is reported for a port without a server', async () => {
    const server = await httpServer(() => undefined)
    await server.close()
    expect(await upstreamFor(server)()).toEqual({
      kind: 'unreachable',
      detail: 'refused the connection',
      neverConnected: true,
    })
  })

  test.each([
    ['ENOTFOUND', 'has a host name that did not resolve'],
    ['EAI_AGAIN', 'has a host name that did not resolve'],
    ['CERT_HAS_EXPIRED', 'has a TLS certificate that is not valid'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'has a TLS certificate that is not valid'],
    ['ETIMEDOUT', 'did not accept the connection in time'],
    ['ESOMETHING', 'could not be reached'],
  ])('the error %s is reported as an upstream that %s, and no address is named', (code, reason) => {
    const cause = Object.assign(new Error(`connect ${code} 10.1.2.3:443`), { code })
    expect(describeUnreachable(cause)).toBe(reason)
    expect(describeUnreachable(new AggregateError([cause]))).toBe(reason)
  })

  test.each([
    ['', 'closed the connection before it answered'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'broke off in the middle of its answer'],
    [
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel',
      'broke off in the middle of its answer',
    ],
  ])('after %j the failure says that the upstream %s', async (bytes, detail) => {
    const send = upstreamFor(started(await tcpServer((socket) => socket.end(bytes))))
    // Only a request without any answer is sent again.
    const partial = bytes === '' ? {} : { hasPartialAnswer: true }
    expect(await send()).toEqual({ kind: 'unreachable', detail, ...partial })
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.9\r\n', 'did not answer in valid HTTP'],
    [
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'answered 101 and switched to another protocol, which was not asked for',
    ],
    [
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope',
      'sent a body that does not unpack as its Content-Encoding "gzip" says',
    ],
    [
      'HTTP/1.1 200 OK\r\ncontent-encoding: UTF-8\r\ncontent-length: 4\r\n\r\nnope',
      'sent its answer in Content-Encoding "UTF-8", which was not asked for',
    ],
    [
      'HTTP/1.1 200 OK\r\ncontent-encoding: a"`<\xe9\r\ncontent-length: 4\r\n\r\nnope',
      'sent its answer in Content-Encoding "a????", which was not asked for',
    ],
  ])('after %j the answer cannot be read: the upstream %s', async (bytes, detail) => {
    const send = upstreamFor(started(await tcpServer((socket) => void socket.end(bytes, 'latin1'))))
    expect(await send()).toEqual({ kind: 'unreadable', detail })
  })

  test('lets no bytes past the declared length into the answer', async () => {
    const send = upstreamFor(
      started(
        await tcpServer((socket) => {
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nevil')
        }),
      ),
    )
    expect(textOf(await send())).toBe('ok')
  })

  test('is reported for https to a port that speaks http', async () => {
    const server = started(await httpServer((_, response) => response.end('ok')))
    const answer = await httpUpstream({ outboundAllow: [server.host] }).send(
      { method: 'GET', url: `https://${server.host}/`, headers: {}, body: undefined },
      { responseBytesMax: 10, signal: new AbortController().signal, uid: 'ada' },
    )
    expect(answer).toEqual({
      kind: 'unreachable',
      detail: 'did not speak TLS',
      neverConnected: true,
    })
  })
})

describe('a kept socket that the upstream resets', () => {
  async function resettingServer() {
    const methods: string[] = []
    const server = started(
      await tcpServer((socket, text, nth) => {
        methods.push(text.slice(0, text.indexOf(' ')))
        if (nth === 2) return void socket.resetAndDestroy()
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      }),
    )
    return { send: upstreamFor(server), methods }
  }

  test('a GET on a reset socket is sent once more on a new one', async () => {
    const { send, methods } = await resettingServer()
    expect(textOf(await send())).toBe('ok')
    await new Promise(setImmediate)
    expect(textOf(await send())).toBe('ok')
    expect(methods).toEqual(['GET', 'GET', 'GET'])
  })

  test('a POST on a reset socket is not sent again, since the upstream may have done its work', async () => {
    const { send, methods } = await resettingServer()
    expect(textOf(await send())).toBe('ok')
    await new Promise(setImmediate)
    expect(await send({ method: 'POST', body: '{}' })).toEqual({
      kind: 'unreachable',
      detail: 'closed the connection before it answered',
    })
    expect(methods).toEqual(['GET', 'POST'])
  })

  test('a GET on a new socket that is reset is not sent again', async () => {
    let requests = 0
    const server = started(
      await tcpServer((socket) => {
        requests += 1
        socket.resetAndDestroy()
      }),
    )
    expect(await upstreamFor(server)()).toMatchObject({ kind: 'unreachable' })
    expect(requests).toBe(1)
  })
})

describe('a request that is never tried', () => {
  test.each([
    ['http://example.com/', 'is http; use https'],
    ['https://10.0.0.1/', 'names an IP address'],
    ['https://user:pass@example.com/', 'has a user or password in its URL'],
    ['no url', 'is not a valid URL'],
  ])('a request to %s is never tried, since its URL %s', async (url, detail) => {
    const answer = await httpUpstream().send(
      { method: 'GET', url, headers: {}, body: undefined },
      { responseBytesMax: 10, signal: new AbortController().signal, uid: 'ada' },
    )
    expect(answer).toEqual({ kind: 'refused_target', detail: expect.stringContaining(detail) })
  })

  test('a request with a line break in a header value is never tried', async () => {
    const answer = await httpUpstream().send(
      {
        method: 'GET',
        url: 'https://example.com/',
        headers: { 'x-a': '1\r\nx-b: 2' },
        body: undefined,
      },
      { responseBytesMax: 10, signal: new AbortController().signal, uid: 'ada' },
    )
    expect(answer).toEqual({
      kind: 'refused_target',
      detail: 'header "x-a": cannot be sent; remove line breaks and controls',
    })
  })
})
