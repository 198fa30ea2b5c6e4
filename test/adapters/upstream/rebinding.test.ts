/**
 * What a name resolves to, and what is connected to. 127.0.0.1 stands for a public address here and
 * 127.0.0.2 for a private one: the judge is the test's, all else is as in production.
 */
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { refuseOtherHosts } from '../../../adapters/upstream/checked-address.ts'
import { type Connections, upstreamConnections } from '../../../adapters/upstream/connections.ts'
import { exchange } from '../../../adapters/upstream/exchange.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { dnsDouble, type Zone } from './dns-double.ts'

const GOOD = '127.0.0.1'
const BAD = '127.0.0.2'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

type Listener = {
  readonly port: number
  /** Where each connection came in. */
  readonly connections: string[]
  /** All that came over them. */
  received(): string
}

/** On every address of this machine by default, so that a connection to the wrong one would be seen. */
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
  const connections = upstreamConnections({ resolve: dns.resolve, isPublic })
  running.unshift(connections)
  return { get: (url: string) => getOver(connections, url), asked: dns.asked }
}

async function getOver(connections: Connections, url: string): Promise<string> {
  const answer = await exchange({
    target: { url: new URL(url), isAllowListed: false },
    request: { method: 'GET', url, headers: {}, body: undefined },
    headers: [],
    over: { connections, how: 'any' },
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

  test('keeps the connection that was checked, and asks nothing for it', async () => {
    const { connections, port } = await listener(KEPT)
    const { asked, get } = await client({ 'a.example': [[GOOD], [BAD]] })
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await get(`http://a.example:${port}/`)).toBe('answered')
    }
    expect(connections).toEqual([GOOD])
    expect(asked).toHaveLength(2)
  })
})

test('a name with a good address and a bad one gets no connection to either', async () => {
  const { connections, port, received } = await listener(KEPT)
  const { get } = await client({ 'a.example': [[GOOD, BAD]], 'b.example': [[BAD, GOOD]] })
  expect(await get(`http://a.example:${port}/`)).toBe('refused_target')
  expect(await get(`http://b.example:${port}/`)).toBe('refused_target')
  expect([connections, received()]).toEqual([[], ''])
})

test('where nobody listens at the first address the next checked one is tried', async () => {
  const { connections, port } = await listener(KEPT, GOOD)
  const { get } = await client({ 'a.example': [['127.0.0.3', GOOD]] })
  expect(await get(`http://a.example:${port}/`)).toBe('answered')
  expect(connections).toEqual([GOOD])
})

test('two names of one address share no connection', async () => {
  const { connections, port } = await listener(KEPT)
  const { get } = await client({ 'a.example': [[GOOD]], 'b.example': [[GOOD], [BAD]] })
  for (const name of ['a.example', 'b.example', 'a.example', 'b.example']) {
    expect(await get(`http://${name}:${port}/`)).toBe('answered')
  }
  expect(connections).toEqual([GOOD, GOOD])
})

describe('the other end of a connection, if it were not what was checked', () => {
  test.each(['http', 'https'])('gets not a byte over %s', async (scheme) => {
    const { port, received } = await listener(KEPT)
    // Right for the lookup, wrong for the peer: what a fault of node, or of this code, would be.
    const { get } = await client({ 'a.example': [[GOOD]] }, () => {
      asked += 1
      return asked === 1
    })
    let asked = 0
    expect(await get(`${scheme}://a.example:${port}/`)).toBe('refused_target')
    await new Promise((later) => setTimeout(later, 20))
    expect([asked, received()]).toEqual([2, ''])
  })

  test('is judged before what was already written goes out', async () => {
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

test('a name that is not answered for is cut by the signal; a late answer connects nowhere', async () => {
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
  guard.abort()
  expect(await answer).toEqual({ kind: 'cut' })
  answerLate()
  await new Promise((later) => setTimeout(later, 20))
  expect(connections).toEqual([])
})

test('TLS greets by name, at the address that was checked', async () => {
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

  test('lets a name lead where it will', async () => {
    const { connections, port } = await listener(KEPT)
    expect(await send(`http://a.example:${port}/`, 'a.example')).toMatchObject({ kind: 'answered' })
    expect(connections).toEqual([BAD])
  })

  test('lets an address be called, for which node asks no name', async () => {
    const { connections, port } = await listener(KEPT)
    const sent = await send(`http://${BAD}:${port}/`, `${BAD}:${port}`)
    expect(sent).toEqual({ kind: 'answered', asked: [] })
    expect(connections).toEqual([BAD])
  })
})
