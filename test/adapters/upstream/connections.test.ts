import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { CONNECTIONS_PER_ORIGIN_MAX } from '../../../adapters/upstream/connections.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import { type TestServer, tcpServer } from './misbehaving-server.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

/**
 * A server of our own bytes with a count of its connections, and a client that keeps connections.
 */
async function opened(onRequest: (socket: Socket, text: string, nth: number) => void) {
  const seen = new Set<Socket>()
  const server: TestServer = await tcpServer((socket, text, nth) => {
    seen.add(socket)
    onRequest(socket, text, nth)
  })
  const upstream = httpUpstream({ outboundAllow: [server.host] })
  running.push(upstream, server)
  const send = (
    request: Partial<UpstreamRequest> = {},
    signal = new AbortController().signal,
  ): Promise<UpstreamAnswer> =>
    upstream.send(
      { method: 'GET', url: `${server.url}/a?b=c`, headers: {}, body: undefined, ...request },
      { responseBytesMax: 1_000, signal },
    )
  return { send, seen, upstream }
}

/** Long enough for bytes on loopback to be read. */
async function aMoment(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((go) => setTimeout(go, 2))
}

describe('a connection', () => {
  test('sends plain HTTP/1.1', async () => {
    const texts: string[] = []
    const { send } = await opened((socket, text) => {
      texts.push(text.replace(/\d{4,}/, 'PORT'))
      socket.write(OK)
    })
    await send({ method: 'POST', headers: { 'x-a': 'é' }, body: 'ü' })
    expect(texts).toEqual([
      'POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nx-a: \u00e9\r\naccept-encoding: gzip, br\r\n' +
        'content-length: 2\r\nconnection: keep-alive\r\n\r\n\u00c3\u00bc',
    ])
  })

  test('serves the next request too', async () => {
    const { send, seen } = await opened((socket) => socket.write(OK))
    for (let nth = 0; nth < 3; nth += 1) expect(await send()).toMatchObject({ kind: 'answered' })
    expect(seen.size).toBe(1)
  })

  test.each([
    ['that the server closes', (socket: Socket) => socket.end(OK)],
    [
      'whose answer says that it closes',
      (socket: Socket) =>
        socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'),
    ],
    [
      'that is kept for a second at most',
      (socket: Socket) =>
        socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'),
    ],
    ['with bytes behind its answer', (socket: Socket) => socket.write(`${OK}${OK}`)],
    [
      'that speaks unasked afterwards',
      (socket: Socket) => {
        socket.write(OK)
        setTimeout(() => socket.write(OK), 1)
      },
    ],
  ])('%s is not used again', async (_, respond) => {
    const { send, seen } = await opened(respond)
    expect(await send()).toMatchObject({ kind: 'answered' })
    await aMoment()
    expect(await send()).toMatchObject({ kind: 'answered' })
    expect(seen.size).toBe(2)
  })

  test('whose server answered before it had read the request is not used again', async () => {
    const { send, seen } = await opened((socket) => {
      socket.pause()
      socket.write(OK)
    })
    const body = 'x'.repeat(20_000_000)
    expect(await send({ method: 'POST', body })).toMatchObject({ kind: 'answered' })
    expect(await send()).toMatchObject({ kind: 'answered' })
    expect(seen.size).toBe(2)
  })

  test('whose request was cut is ended and not used again', async () => {
    const guard = new AbortController()
    let closed = 0
    const { send, seen } = await opened((socket, _, nth) => {
      socket.on('close', () => {
        closed += 1
      })
      if (nth === 1) guard.abort()
      else socket.write(OK)
    })
    expect(await send({}, guard.signal)).toEqual({ kind: 'cut' })
    expect(await send()).toMatchObject({ kind: 'answered' })
    await expect.poll(() => closed).toBe(1)
    expect(seen.size).toBe(2)
  })

  test('that is idle ends when the adapter is closed', async () => {
    let closed = 0
    const { send, upstream } = await opened((socket) => {
      socket.on('close', () => {
        closed += 1
      })
      socket.write(OK)
    })
    await send()
    upstream.close()
    await expect.poll(() => closed).toBe(1)
  })
})

describe('many requests at once', () => {
  test('keep 16 connections afterwards', async () => {
    const waiting: Socket[] = []
    let open = 0
    const { send } = await opened((socket) => {
      open += 1
      socket.on('close', () => {
        open -= 1
      })
      waiting.push(socket)
      if (waiting.length === 20) for (const one of waiting) one.write(OK)
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['answered']))
    await expect.poll(() => open).toBe(16)
  })

  test('use 512 connections; one more waits for its turn, or until it is cut', async () => {
    expect(CONNECTIONS_PER_ORIGIN_MAX).toBe(512)
    const asked: Socket[] = []
    const { send, seen } = await opened((socket) => {
      asked.push(socket)
      if (asked.length > 512) socket.write(OK)
    })
    const guard = new AbortController()
    const first = Array.from({ length: 512 }, () => send())
    await expect.poll(() => asked.length).toBe(512)
    const cut = send({}, guard.signal)
    const late = send()
    await aMoment()
    expect(seen.size).toBe(512)
    guard.abort()
    expect(await cut).toEqual({ kind: 'cut' })
    asked[0]?.write(OK)
    expect(await late).toMatchObject({ kind: 'answered' })
    for (const socket of asked.slice(1, 512)) socket.write(OK)
    await Promise.all(first)
    expect(seen.size).toBe(512)
  })
})
