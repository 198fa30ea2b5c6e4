/** A request for a private host crosses to the caller's door, in this process, and back. */
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../adapters/crypto/system-clock.ts'
import { upstreamByPrivateHost } from '../../../../adapters/upstream/caller/by-private-host.ts'
import { makeListedAddressCheck } from '../../../../adapters/upstream/caller/private-address.ts'
import { upstreamOverInvoke } from '../../../../adapters/upstream/caller/private-upstream.ts'
import { httpUpstream } from '../../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../../core/call/upstream.ts'
import type { Upstream, UpstreamLimits, UpstreamStep } from '../../../../core/ports/outside.ts'
import { type CallerPorts, createCallerDoor } from '../../../../lambdas/caller/door.ts'
import { dnsDouble } from '../dns-double.ts'
import { httpServer, type TestServer, tcpServer } from '../misbehaving-server.ts'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

const CONTEXT = { getRemainingTimeInMillis: () => 60_000 }
type Options = Parameters<typeof httpUpstream>[0] & { readonly clock?: CallerPorts['clock'] }
type Invoked = { readonly event: Record<string, unknown> }

/** The upstream of execute, over a door of the caller with these hosts. */
function crossing(
  privateHosts: readonly string[],
  { clock = systemClock(), ...options }: Options = {},
) {
  const notes: string[] = []
  const invoked: Invoked[] = []
  const http = httpUpstream({
    outboundAllow: privateHosts,
    isListedAddress: makeListedAddressCheck(undefined),
    ...options,
  })
  running.unshift(http)
  const log = { note: (_level: string, event: string) => void notes.push(event) }
  const door = createCallerDoor({ clock, log, upstream: http })
  const upstream = upstreamOverInvoke(async (text) => {
    const event = JSON.parse(text)
    invoked.push({ event })
    return { kind: 'answered', text: JSON.stringify(await door(event, CONTEXT)) }
  })
  return { upstream, invoked, notes }
}

function send(
  upstream: Upstream,
  request: Partial<UpstreamRequest> & { url: string },
  limits: Partial<UpstreamLimits> = {},
): Promise<UpstreamAnswer> {
  return upstream.send(
    { method: 'GET', headers: {}, body: undefined, ...request },
    { responseBytesMax: 1_000, signal: new AbortController().signal, uid: 'ada', ...limits },
  )
}

async function answering(
  onRequest: (socket: Socket, text: string, nth: number) => void,
): Promise<TestServer> {
  const server = await tcpServer(onRequest)
  running.push(server)
  return server
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

describe('a request for a private host', () => {
  test('crosses with its method, headers and the bytes of its body', async () => {
    const seen: unknown[] = []
    const server = await httpServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { headers, method, url } = request
      seen.push({ method, url, body: Buffer.concat(chunks), key: headers['x-api-key'] })
      response.writeHead(201, { 'content-type': 'application/json; charset=utf-8' }).end('{"a":1}')
    })
    running.push(server)
    const { upstream } = crossing([server.host])
    const body = Buffer.from([0, 255, 195, 40])
    const url = `${server.url}/a?b=c`
    const headers = { 'x-api-key': 'kept' }
    expect(await send(upstream, { method: 'PUT', url, headers, body })).toEqual({
      kind: 'answered',
      response: {
        status: 201,
        mediaType: 'application/json',
        charset: 'utf-8',
        body: Buffer.from('{"a":1}'),
      },
    })
    expect(seen).toEqual([{ method: 'PUT', url: '/a?b=c', body, key: 'kept' }])
  })

  test('gets the headers that the skill shows, and those of each answer if they are wanted', async () => {
    const server = await answering((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-page: 2\r\ncontent-length: 0\r\n\r\n'),
    )
    const { upstream } = crossing([server.host])
    const all: (readonly string[])[] = []
    const answer = await send(
      upstream,
      { url: server.url },
      { showHeaders: ['x-page'], onHeaders: (headers) => all.push(headers) },
    )
    expect(answer).toMatchObject({ response: { headers: { 'x-page': '2' } } })
    expect(all).toEqual([['x-page', '2', 'content-length', '0']])
  })

  test('tells its steps with how long ago each one was', async () => {
    const server = await answering((socket) => socket.write(OK))
    const times = [1_000, 1_030, 1_050]
    const clock = { ...systemClock(), nowMs: () => times.shift() ?? Number.NaN }
    const { upstream } = crossing([server.host], { clock })
    const steps: { step: UpstreamStep; agoMs: number }[] = []
    await send(
      upstream,
      { url: server.url },
      { onStep: (step, agoMs = -1) => steps.push({ step, agoMs }) },
    )
    expect(steps).toEqual([
      { step: 'connected', agoMs: 50 },
      { step: 'first-byte', agoMs: 20 },
    ])
  })

  test('takes the time that is left to its call, and no more', async () => {
    const server = await answering(() => {})
    const { invoked, upstream } = crossing([server.host])
    expect(await send(upstream, { url: server.url }, { timeoutMs: 40 })).toEqual({
      kind: 'unreachable',
      detail: 'did not answer in time',
    })
    expect(invoked.map(({ event }) => event['timeoutMs'])).toEqual([40])
  })

  test('takes 15 s where nobody says how long', async () => {
    const server = await answering((socket) => socket.write(OK))
    const { invoked, upstream } = crossing([server.host])
    await send(upstream, { url: server.url })
    expect(invoked.map(({ event }) => event['timeoutMs'])).toEqual([15_000])
  })

  test.each([
    [900_000, 900_000],
    [900_001, 900_000],
    [Number.POSITIVE_INFINITY, 900_000],
    [-1, 0],
  ])('that has %d ms left takes at most %d ms', async (timeoutMs, taken) => {
    const server = await answering((socket) => socket.write(OK))
    const { invoked, upstream } = crossing([server.host])
    await send(upstream, { url: server.url }, { timeoutMs })
    expect(invoked.map(({ event }) => event['timeoutMs'])).toEqual([taken])
  })

  test('is cut here when its caller leaves, and ends there by its own deadline', async () => {
    const arrived = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const leaving = new AbortController()
    const server = await answering((socket) => {
      socket.once('close', () => ended.resolve())
      arrived.resolve()
    })
    const deadline = Promise.withResolvers<{ readonly ms: number; ring(): void }>()
    const alarm = (ms: number, ring: () => void) => {
      deadline.resolve({ ms, ring })
      return () => {}
    }
    const { upstream } = crossing([server.host], { clock: { ...systemClock(), alarm } })
    const sent = send(upstream, { url: server.url }, { timeoutMs: 60, signal: leaving.signal })
    await arrived.promise
    leaving.abort()
    const { ms, ring } = await deadline.promise
    expect(ms).toBe(60)
    ring()
    expect(await sent).toEqual({ kind: 'cut' })
    await ended.promise
  })

  test('of a caller who has left is not sent', async () => {
    const { invoked, upstream } = crossing(['10.0.3.7'])
    const signal = AbortSignal.abort()
    expect(await send(upstream, { url: 'http://10.0.3.7/' }, { signal })).toEqual({ kind: 'cut' })
    expect(invoked).toEqual([])
  })

  test('crosses with a digest of its user, never with the user', async () => {
    const server = await answering((socket) => socket.write(OK))
    const { invoked, upstream } = crossing([server.host])
    await send(upstream, { url: server.url }, { uid: 'ada' })
    expect(invoked.map(({ event }) => event['owner'])).toEqual([
      '_e5DDUC9V97qwYbNl5ADPQ8G-QmogG585ucXq3x9UCk',
    ])
    expect(JSON.stringify(invoked)).not.toContain('"ada"')
  })
})

describe('a connection of the caller', () => {
  test('that has carried a body of one user carries no request of another', async () => {
    const users = new Map<Socket, string[]>()
    const server = await answering((socket, text) => {
      users.set(socket, [...(users.get(socket) ?? []), /x-user: (\w+)/.exec(text)?.[1] ?? ''])
      socket.write(OK)
    })
    const { upstream } = crossing([server.host])
    for (const uid of ['ada', 'bob', 'ada', 'bob', 'ada']) {
      await send(
        upstream,
        { method: 'POST', url: server.url, headers: { 'x-user': uid }, body: 'x' },
        { uid },
      )
    }
    const mixed = [...users.values()].filter((of) => new Set(of).size > 1)
    expect(mixed).toEqual([])
    expect([...users.values()].map((of) => of.length).toSorted()).toEqual([2, 3])
  })
})

describe('the outcome of a private host', () => {
  test('that refuses the connection is that nothing was sent', async () => {
    const server = await tcpServer(() => {})
    await server.close()
    const { upstream } = crossing([server.host])
    expect(await send(upstream, { url: server.url })).toEqual({
      kind: 'unreachable',
      detail: 'refused the connection',
      neverConnected: true,
    })
  })

  test('that breaks off within its answer is that the host may have done its work', async () => {
    const server = await answering((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    )
    const { upstream } = crossing([server.host])
    expect(await send(upstream, { url: server.url })).toMatchObject({
      kind: 'unreachable',
      hasPartialAnswer: true,
    })
  })

  test('that speaks no HTTP is an answer that cannot be read', async () => {
    const server = await answering((socket) => socket.end('SSH-2.0-x\r\n'))
    const { upstream } = crossing([server.host])
    expect(await send(upstream, { url: server.url })).toMatchObject({ kind: 'unreadable' })
  })

  test.each([
    [2, 'answered'],
    [1, 'too_large'],
  ])('of two bytes where the skill takes %i is %s', async (responseBytesMax, kind) => {
    const server = await answering((socket) => socket.write(OK))
    const { upstream } = crossing([server.host])
    expect(await send(upstream, { url: server.url }, { responseBytesMax })).toMatchObject({ kind })
  })

  test('is bound by what fits into an Invoke, whatever the skill takes', async () => {
    const server = await answering((socket) => socket.write(OK))
    const { invoked, upstream } = crossing([server.host])
    await send(upstream, { url: server.url }, { responseBytesMax: 9_000_000 })
    expect(invoked.map(({ event }) => event['responseBytesMax'])).toEqual([4_194_304])
  })
})

describe('the guard of the caller', () => {
  const detailOf = (answer: UpstreamAnswer) => ('detail' in answer ? answer.detail : answer.kind)

  test('refuses every host that is not listed, public ones too', async () => {
    const { upstream } = crossing(['billing.corp.example'])
    expect(await send(upstream, { url: 'https://example.com/' })).toEqual({
      kind: 'refused_target',
      detail: 'its URL names a host that privateHosts does not list; let the operator add it',
    })
  })

  test('follows a redirect to a listed host, and refuses any other', async () => {
    const second = await answering((socket) => socket.write(OK))
    const first = await answering((socket, text) => {
      const to = text.startsWith('GET /in ') ? `${second.url}/` : 'https://example.com/'
      socket.write(`HTTP/1.1 302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`)
    })
    const { upstream } = crossing([first.host, second.host])
    expect(await send(upstream, { url: `${first.url}/in` })).toMatchObject({ kind: 'answered' })
    expect(detailOf(await send(upstream, { url: `${first.url}/out` }))).toBe(
      'its redirect leads to a URL that names a host that privateHosts does not list; let the operator add it',
    )
  })

  test('follows no redirect where the sender follows none', async () => {
    const server = await answering((socket) =>
      socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
    )
    const { upstream } = crossing([server.host])
    expect(detailOf(await send(upstream, { url: server.url }, { redirectsMax: 0 }))).toBe(
      'it redirects more than 0 times',
    )
  })

  test.each(['169.254.169.254', '127.0.0.1', 'fd00:ec2::254', '0.0.0.0'])(
    'refuses a listed host whose name leads to %s',
    async (address) => {
      const dns = await dnsDouble({ 'billing.corp.example': [[address]] })
      running.push(dns)
      const { upstream } = crossing(['billing.corp.example'], { resolve: dns.resolve })
      const answer = await send(upstream, { url: 'http://billing.corp.example/' })
      expect(answer).toEqual({
        kind: 'refused_target',
        detail:
          'its host name leads to an address of the machine itself or of a metadata service, which no host of privateHosts may have',
      })
    },
  )
})

describe('a request that cannot cross', () => {
  test('is refused before it is sent when its body is too large for an Invoke', async () => {
    const { invoked, upstream } = crossing(['10.0.3.7'])
    const request = { method: 'POST', url: 'http://10.0.3.7/' } as const
    expect(await send(upstream, { ...request, body: Buffer.alloc(4_718_592) })).toEqual({
      kind: 'refused_target',
      detail:
        'its request takes more than 6291456 bytes on the way to a private host, where a body takes four bytes for three; send less',
    })
    expect(invoked).toEqual([])
  })

  test('is sent when it just fits', async () => {
    const texts: string[] = []
    const upstream = upstreamOverInvoke(async (text) => {
      texts.push(text)
      return { kind: 'not-run', why: 'test' }
    })
    const request = { method: 'POST', url: 'http://10.0.3.7/', headers: { pad: '' } } as const
    await send(upstream, { ...request, body: '' })
    const room = 6_291_456 - Buffer.byteLength(texts[0] ?? '')
    await send(upstream, { ...request, headers: { pad: 'x'.repeat(room) }, body: '' })
    const past = await send(upstream, {
      ...request,
      headers: { pad: 'x'.repeat(room + 1) },
      body: '',
    })
    expect(texts.map((text) => Buffer.byteLength(text)).slice(1)).toEqual([6_291_456])
    expect(past.kind).toBe('refused_target')
  })
})

describe('a caller that fails', () => {
  const failing = (kind: 'not-run' | 'in-doubt', why: string) =>
    send(
      upstreamOverInvoke(async () => ({ kind, why })),
      { url: 'http://10.0.3.7/' },
    )

  test('and did not run has sent nothing, which says nothing about the host', async () => {
    expect(await failing('not-run', 'TooManyRequestsException')).toEqual({
      kind: 'unreachable',
      detail:
        'is a private host, and the function caller, which reaches it, did not run (TooManyRequestsException)',
      neverConnected: true,
      isGatewayFault: true,
    })
  })

  test('and may have run leaves in doubt what it sent', async () => {
    expect(await failing('in-doubt', 'function error Unhandled')).toEqual({
      kind: 'unreachable',
      detail:
        'is a private host, and the function caller, which reaches it, gave no answer (function error Unhandled)',
      isGatewayFault: true,
    })
  })

  test.each(['', '{}', 'null', '{"answer":{"kind":"answered"}}', '<html>'])(
    'and answers %j leaves in doubt what it sent',
    async (text) => {
      const upstream = upstreamOverInvoke(async () => ({ kind: 'answered', text }))
      expect(await send(upstream, { url: 'http://10.0.3.7/' })).toEqual({
        kind: 'unreachable',
        detail:
          'is a private host, and the function caller, which reaches it, gave an answer that cannot be read',
        isGatewayFault: true,
      })
    },
  )
})

describe('the upstream of a stage with private hosts', () => {
  const marked = (name: string, sent: string[]): Upstream => ({
    send: async ({ url }) => {
      sent.push(`${name} ${url}`)
      return { kind: 'cut' }
    },
  })

  test('sends to a listed host through the caller, and to any other from here', async () => {
    const sent: string[] = []
    const hosts = ['billing.corp.example', '10.0.3.7:8443']
    const both = upstreamByPrivateHost(marked('here', sent), marked('caller', sent), hosts)
    for (const url of [
      'http://billing.corp.example/a',
      'https://BILLING.corp.example:9443/b',
      'https://10.0.3.7:8443/c',
      'https://10.0.3.7/d',
      'https://x.billing.corp.example/e',
      'https://billing.corp.example.evil.example/f',
      'https://billing.corp.example@evil.example/g',
      'not a url',
    ]) {
      await send(both, { url })
    }
    expect(sent).toEqual([
      'caller http://billing.corp.example/a',
      'caller https://BILLING.corp.example:9443/b',
      'caller https://10.0.3.7:8443/c',
      'here https://10.0.3.7/d',
      'here https://x.billing.corp.example/e',
      'here https://billing.corp.example.evil.example/f',
      'here https://billing.corp.example@evil.example/g',
      'here not a url',
    ])
  })
})
