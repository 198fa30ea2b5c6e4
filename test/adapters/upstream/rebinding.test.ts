/**
 * The addresses of a name, and the address that is connected to. 127.0.0.1 stands for a public
 * address here and 127.0.0.2 for a private one: only the judge of addresses is the test's, all else
 * is production code.
 */
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { refuseOtherHosts } from '../../../adapters/upstream/checked-address.ts'
import { type Connections, openConnections } from '../../../adapters/upstream/connections.ts'
import { exchange } from '../../../adapters/upstream/exchange.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { dnsDouble, type Zone } from './dns-double.ts'

const GOOD = '127.0.0.1'
const BAD = '127.0.0.2'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

type Listener = {
  readonly port: number
  /** The local address of each connection. */
  readonly connections: string[]
  /** All bytes that came over them. */
  received(): string
}

/**
 * Listens on every address of this machine by default, so that a connection to a wrong one is seen.
 */
async function listener(answer: string, host = '0.0.0.0'): Promise<Listener> {
  const connections: string[] = []
  const sockets = new Set<Socket>()
  let received = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    connections.push(socket.localAddress ?? '')
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      socket.write(answer)
    })
  })
  await new Promise<void>((ready) => server.listen(0, host, ready))
  running.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((closed) => server.close(closed))
    },
  })
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('listens on no port')
  return { port: at.port, connections, received: () => received }
}

const KEPT = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const CLOSED = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'

async function client(zone: Zone, isPublic: (address: string) => boolean = (one) => one !== BAD) {
  const dns = await dnsDouble(zone)
  running.push(dns)
  const connections = openConnections({ resolve: dns.resolve, isAllowed: isPublic })
  running.unshift(connections)
  return { get: (url: string) => getOver(connections, url), asked: dns.asked }
}

async function getOver(connections: Connections, url: string): Promise<string> {
  const answer = await exchange({
    to: { url: new URL(url), isAllowListed: false, isPrivate: false },
    request: { method: 'GET', url, headers: {}, body: undefined },
    headers: ['host', new URL(url).host],
    connections,
    limits: { responseBytesMax: 100, signal: new AbortController().signal, uid: 'ada' },
  })
  return answer.kind
}

describe('a name that answers with a public address, then with a private one', () => {
  test('is refused when it is looked up again', async () => {
    const { connections, port } = await listener(CLOSED)
    const { get } = await client({ 'a.example': [[GOOD], [BAD]] })
    expect(await get(`http://a.example:${port}/`)).toBe('answered')
    expect(await get(`http://a.example:${port}/`)).toBe('refused_target')
    expect(connections).toEqual([GOOD])
  })

  test('is not looked up again between the check and the connection', async () => {
    const { connections, port } = await listener(CLOSED)
    const { asked, get } = await client({ 'a.example': [[GOOD], [BAD]] })
    await get(`http://a.example:${port}/`)
    expect(asked.filter((question) => question === 'a.example A')).toHaveLength(1)
    expect(connections).toEqual([GOOD])
  })

  test('keeps the checked connection, and resolves nothing for it', async () => {
    const { connections, port } = await listener(KEPT)
    const { asked, get } = await client({ 'a.example': [[GOOD], [BAD]] })
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await get(`http://a.example:${port}/`)).toBe('answered')
    }
    expect(connections).toEqual([GOOD])
    expect(asked).toHaveLength(2)
  })
})

test('a name with a public and a private address gets no connection to either', async () => {
  const { connections, port, received } = await listener(KEPT)
  const { get } = await client({ 'a.example': [[GOOD, BAD]], 'b.example': [[BAD, GOOD]] })
  expect(await get(`http://a.example:${port}/`)).toBe('refused_target')
  expect(await get(`http://b.example:${port}/`)).toBe('refused_target')
  expect([connections, received()]).toEqual([[], ''])
})

test('the next checked address is tried when no server listens at the first', async () => {
  const { connections, port } = await listener(KEPT, GOOD)
  const { get } = await client({ 'a.example': [['127.0.0.3', GOOD]] })
  expect(await get(`http://a.example:${port}/`)).toBe('answered')
  expect(connections).toEqual([GOOD])
})

test('two names with one address share no connection', async () => {
  const { connections, port } = await listener(KEPT)
  const { get } = await client({ 'a.example': [[GOOD]], 'b.example': [[GOOD], [BAD]] })
  for (const name of ['a.example', 'b.example', 'a.example', 'b.example']) {
    expect(await get(`http://${name}:${port}/`)).toBe('answered')
  }
  expect(connections).toEqual([GOOD, GOOD])
})

describe('a connection whose other end was not checked', () => {
  test.each(['http', 'https'])('carries no byte over %s', async (scheme) => {
    const { port, received } = await listener(KEPT)
    // Passes the lookup and fails the check of the peer, as a fault of node or of this code would.
    const { get } = await client({ 'a.example': [[GOOD]] }, () => {
      asked += 1
      return asked === 1
    })
    let asked = 0
    expect(await get(`${scheme}://a.example:${port}/`)).toBe('refused_target')
    await new Promise((later) => setTimeout(later, 20))
    expect([asked, received()]).toEqual([2, ''])
  })

  test('is judged before bytes that were already written leave', async () => {
    const { port, received } = await listener(KEPT)
    const socket = connect({ host: GOOD, port })
    refuseOtherHosts(socket, () => false)
    socket.write('secret')
    const cause = await new Promise<Error>((failed) => socket.on('error', failed))
    expect(cause).toMatchObject({ code: 'ERR_REFUSED_ADDRESS' })
    await new Promise((later) => setTimeout(later, 20))
    expect(received()).toBe('')
  })
})

test('a name without an answer is cut by the signal, and a late answer connects nowhere', async () => {
  const { connections, port } = await listener(KEPT)
  const late = Promise.withResolvers<() => void>()
  const upstream = httpUpstream({
    outboundAllow: ['a.example'],
    resolve: (_, done) => late.resolve(() => done(null, [{ address: GOOD, family: 4 }])),
  })
  const guard = new AbortController()
  const answer = upstream.send(
    { method: 'GET', url: `http://a.example:${port}/`, headers: {}, body: undefined },
    { responseBytesMax: 100, signal: guard.signal, uid: 'ada' },
  )
  const answerLate = await late.promise
  await new Promise(setImmediate)
  guard.abort()
  expect(await answer).toEqual({ kind: 'cut' })
  answerLate()
  await new Promise((later) => setTimeout(later, 20))
  expect(connections).toEqual([])
})

test('TLS sends the name, to the checked address', async () => {
  const { connections, port, received } = await listener('HTTP/1.1 400 Bad\r\n\r\n')
  const { get } = await client({ 'a.example': [[GOOD], [BAD]] })
  expect(await get(`https://a.example:${port}/`)).toBe('unreachable')
  expect(connections).toEqual([GOOD])
  expect(received().charCodeAt(0)).toBe(0x16)
  expect(received()).toContain('a.example')
})

describe('the allow-list', () => {
  async function send(url: string, allow: string) {
    const dns = await dnsDouble({ 'a.example': [[BAD]] })
    const upstream = httpUpstream({ outboundAllow: [allow], resolve: dns.resolve })
    running.unshift(upstream, dns)
    const limits = { responseBytesMax: 100, signal: new AbortController().signal, uid: 'ada' }
    const request = { method: 'GET', url, headers: {}, body: undefined } as const
    return { kind: (await upstream.send(request, limits)).kind, asked: dns.asked }
  }

  test('lets a name resolve to any address', async () => {
    const { connections, port } = await listener(KEPT)
    expect(await send(`http://a.example:${port}/`, 'a.example')).toMatchObject({ kind: 'answered' })
    expect(connections).toEqual([BAD])
  })

  test('lets an address be called, for which node resolves no name', async () => {
    const { connections, port } = await listener(KEPT)
    const sent = await send(`http://${BAD}:${port}/`, `${BAD}:${port}`)
    expect(sent).toEqual({ kind: 'answered', asked: [] })
    expect(connections).toEqual([BAD])
  })
})
