import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { CONNECTIONS_PER_ORIGIN_MAX } from '../../../adapters/upstream/origin-agent.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import { type TestServer, tcpServer } from './misbehaving-server.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

/** A server that answers with given bytes and counts its connections, and a client that keeps connections. */
async function opened(onRequest: (socket: Socket, text: string, nth: number) => void) {
  const sockets = new Set<Socket>()
  const server: TestServer = await tcpServer((socket, text, nth) => {
    sockets.add(socket)
    onRequest(socket, text, nth)
  })
  const upstream = httpUpstream({ outboundAllow: [server.host] })
  running.push(upstream, server)
  const send = (
    request: Partial<UpstreamRequest> = {},
    signal = new AbortController().signal,
    uid = 'ada',
  ): Promise<UpstreamAnswer> =>
    upstream.send(
      { method: 'GET', url: `${server.url}/a?b=c`, headers: {}, body: undefined, ...request },
      { responseBytesMax: 1_000, signal, uid },
    )
  return { send, sockets, upstream }
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
    const { send, sockets } = await opened((socket) => socket.write(OK))
    for (let nth = 0; nth < 3; nth += 1) expect(await send()).toMatchObject({ kind: 'answered' })
    expect(sockets.size).toBe(1)
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
    const { send, sockets } = await opened(respond)
    expect(await send()).toMatchObject({ kind: 'answered' })
    await aMoment()
    expect(await send()).toMatchObject({ kind: 'answered' })
    expect(sockets.size).toBe(2)
  })

  test('whose server answered before it had read the request is not used again', async () => {
    const { send, sockets } = await opened((socket) => {
      socket.pause()
      socket.write(OK)
    })
    const body = 'x'.repeat(20_000_000)
    expect(await send({ method: 'POST', body })).toMatchObject({ kind: 'answered' })
    expect(await send()).toMatchObject({ kind: 'answered' })
    expect(sockets.size).toBe(2)
  })

  test('whose request was cut is ended and not used again', async () => {
    const guard = new AbortController()
    let closed = 0
    const { send, sockets } = await opened((socket, _, nth) => {
      socket.on('close', () => {
        closed += 1
      })
      if (nth === 1) guard.abort()
      else socket.write(OK)
    })
    expect(await send({}, guard.signal)).toEqual({ kind: 'cut' })
    expect(await send()).toMatchObject({ kind: 'answered' })
    await expect.poll(() => closed).toBe(1)
    expect(sockets.size).toBe(2)
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
    const { send, sockets } = await opened((socket) => {
      asked.push(socket)
      if (asked.length > 512) socket.write(OK)
    })
    const guard = new AbortController()
    const first = Array.from({ length: 512 }, () => send())
    await expect.poll(() => asked.length).toBe(512)
    const cut = send({}, guard.signal)
    const late = send()
    await aMoment()
    expect(sockets.size).toBe(512)
    guard.abort()
    expect(await cut).toEqual({ kind: 'cut' })
    asked[0]?.write(OK)
    expect(await late).toMatchObject({ kind: 'answered' })
    for (const socket of asked.slice(1, 512)) socket.write(OK)
    await Promise.all(first)
    expect(sockets.size).toBe(512)
  })

  test('of which thousands were cut while they waited leave the others served', async () => {
    const asked: Socket[] = []
    const { send } = await opened((socket) => asked.push(socket))
    const guard = new AbortController()
    const first = Array.from({ length: 512 }, () => send())
    await expect.poll(() => asked.length).toBe(512)
    const cut = Array.from({ length: 6_000 }, () => send({}, guard.signal))
    const late = send()
    await aMoment()
    guard.abort()
    expect(new Set((await Promise.all(cut)).map(({ kind }) => kind))).toEqual(new Set(['cut']))
    for (const socket of asked.slice(0, 512)) socket.write(OK)
    await Promise.all(first)
    await expect.poll(() => asked.length).toBe(513)
    asked[512]?.write(OK)
    expect(await late).toMatchObject({ kind: 'answered' })
  })
})

describe('a connection among users', () => {
  const never = () => new AbortController().signal
  const POST = { method: 'POST', body: '{}' } as const

  test('that carried only requests without a body serves everybody', async () => {
    const { send, sockets } = await opened((socket) => socket.write(OK))
    await send({}, never(), 'ada')
    await send({ method: 'HEAD' }, never(), 'bob')
    expect(sockets.size).toBe(1)
  })

  test.each([
    ['a body', POST],
    ['a method that may have one', { method: 'POST' } as const],
    ['a DELETE', { method: 'DELETE' } as const],
  ])('that carried %s of one user serves no other, and that user again', async (_, request) => {
    const { send, sockets } = await opened((socket) => socket.write(OK))
    await send(request, never(), 'ada')
    await send({}, never(), 'bob')
    expect(sockets.size).toBe(2)
    await send({}, never(), 'ada')
    await send(request, never(), 'ada')
    expect(sockets.size).toBe(2)
  })

  test('carries the bodies of one user or none, whichever was used last', async () => {
    const asked = new Map<string, Socket>()
    const { send } = await opened((socket, text) => {
      const [, name = ''] = /x-name: (\w+)/.exec(text) ?? []
      asked.set(name, socket)
      if (name.endsWith('again')) socket.write(OK)
    })
    const named = (name: string) => ({ headers: { 'x-name': name } })
    const sends = new Map([
      ['ada', send({ ...POST, ...named('ada') }, never(), 'ada')],
      ['bob', send(named('bob'), never(), 'bob')],
      ['cleo', send({ ...POST, ...named('cleo') }, never(), 'cleo')],
    ])
    await expect.poll(() => asked.size).toBe(3)
    for (const [name, sent] of sends) {
      asked.get(name)?.write(OK)
      await sent
    }
    await send({ ...POST, ...named('adaagain') }, never(), 'ada')
    await send(named('bobagain'), never(), 'cleo')
    await send({ ...POST, ...named('cleoagain') }, never(), 'cleo')
    for (const uid of ['ada', 'bob', 'cleo']) {
      expect([uid, asked.get(`${uid}again`) === asked.get(uid)]).toEqual([uid, true])
    }
  })

  test('brings no user the answer that another smuggled in behind a body', async () => {
    // A server that mistakes a body for the next request, and answers one request after the other.
    const turns = new Map<Socket, Promise<unknown>>()
    const { send } = await opened((socket, text) => {
      for (const one of text.split(/(?=GET |POST )/).filter((request) => request !== '')) {
        const [body, takesMs] = one.startsWith('GET /evil') ? ['evil', 20] : ['good', 0]
        const turn = (turns.get(socket) ?? Promise.resolve())
          .then(() => new Promise((go) => setTimeout(go, takesMs)))
          .then(() => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${body}`))
        turns.set(socket, turn)
      }
    })
    await send({ ...POST, body: 'GET /evil HTTP/1.1\r\n\r\n' }, never(), 'eve')
    const answer = await send({}, never(), 'ada')
    const body = answer.kind === 'answered' ? new TextDecoder().decode(answer.response.body) : ''
    expect(body).toBe('good')
  })

  test('is ended for another user when 512 are open and the owner leaves it idle', async () => {
    const asked: Socket[] = []
    const { send, sockets } = await opened((socket) => {
      asked.push(socket)
      if (asked.length > 512) socket.write(OK)
    })
    const first = Array.from({ length: 512 }, () => send(POST, never(), 'ada'))
    await expect.poll(() => asked.length).toBe(512)
    asked[0]?.write(OK)
    await first[0]
    expect(await send({}, never(), 'bob')).toMatchObject({ kind: 'answered' })
    expect(sockets.size).toBe(513)
    for (const socket of asked.slice(1, 512)) socket.write(OK)
    await Promise.all(first)
  })
})

describe('a connection across a freeze of the function', () => {
  test('is not used once the wall clock is past its idle time, though no timer has fired', async () => {
    let nowMs = 1_000_000
    const sockets = new Set<Socket>()
    const server: TestServer = await tcpServer((socket) => {
      sockets.add(socket)
      socket.write(OK)
    })
    const upstream = httpUpstream({ outboundAllow: [server.host], nowMs: () => nowMs })
    running.push(upstream, server)
    const counts: number[] = []
    const send = async () => {
      const answer = await upstream.send(
        { method: 'GET', url: `${server.url}/`, headers: {}, body: undefined },
        { responseBytesMax: 1_000, signal: new AbortController().signal, uid: 'ada' },
      )
      expect(answer).toMatchObject({ kind: 'answered' })
      counts.push(sockets.size)
    }
    await send()
    nowMs += 3_999
    await send()
    nowMs += 4_000
    await send()
    expect(counts).toEqual([1, 1, 2])
    // Each of them leaves its place to the next, of the 512 of an origin.
    for (let nth = 0; nth < 600; nth += 1) {
      nowMs += 4_000
      await send()
    }
    expect(counts.at(-1)).toBe(602)
  })
})
