import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { LocalResponseStream } from '../../../local/http/host.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** An open response: our end of it, and the client's. `writes` counts those to the connection. */
async function opened(options: { holdLastChunk: boolean }) {
  const { promise, resolve } = Promise.withResolvers<LocalResponseStream>()
  server = createServer((_, response) => resolve(new LocalResponseStream(response, options)))
  const writes = { count: 0 }
  server.on('connection', (socket) => countWrites(socket, writes))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = get({ host: '127.0.0.1', port })
  request.on('error', () => {})
  return { out: await promise, request, answered: once(request, 'response'), writes }
}

function countWrites(socket: Socket, writes: { count: number }): void {
  const { _write, _writev } = socket
  socket._write = (...args) => {
    writes.count += 1
    _write.apply(socket, args)
  }
  socket._writev = (...args) => {
    writes.count += 1
    _writev?.apply(socket, args)
  }
}

async function agentOf(answered: Promise<unknown[]>): Promise<{
  message: IncomingMessage
  received: () => string
}> {
  const message = (await answered)[0] as IncomingMessage
  let text = ''
  message.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return { message, received: () => text }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(1)
}

const HEAD = { statusCode: 200, headers: { 'content-type': 'text/event-stream' } }

describe('the response stream of the twin', () => {
  test('sends the head with the first write, even an empty one', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead({ statusCode: 202, headers: { 'x-kind': 'first' } })
    out.write('')
    const { message } = await agentOf(answered)
    expect(message.statusCode).toBe(202)
    expect(message.headers['x-kind']).toBe('first')
  })

  test('sends the head and the first chunk in one write, the next chunk in another', async () => {
    const { out, answered, writes } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    const agent = await agentOf(answered)
    await until(() => agent.received() === 'one')
    expect(writes.count).toBe(1)
    out.write('two')
    await until(() => agent.received() === 'onetwo')
    expect(writes.count).toBe(2)
  })

  test('sends each chunk at once', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    const agent = await agentOf(answered)
    await until(() => agent.received() === 'one')
    out.write('two')
    await until(() => agent.received() === 'onetwo')
  })

  test('holds a small chunk until the next write when asked to, as function URLs do', async () => {
    const { out, answered } = await opened({ holdLastChunk: true })
    out.setHead(HEAD)
    out.write('one')
    out.write('two')
    const agent = await agentOf(answered)
    await until(() => agent.received() === 'one')
    await pause(20)
    expect(agent.received()).toBe('one')
    out.end()
    await until(() => agent.received() === 'onetwo')
  })

  test('holds chunks of 100,000 bytes and lets larger ones pass with the held one', async () => {
    const { out, answered } = await opened({ holdLastChunk: true })
    out.setHead(HEAD)
    out.write('a'.repeat(100_000))
    out.write('b'.repeat(100_001))
    const agent = await agentOf(answered)
    await until(() => agent.received().length === 200_001)
    out.write('c')
    out.write('d')
    await until(() => agent.received().endsWith('c'))
  })

  test('makes the writer wait while the client does not read', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    const block = 'x'.repeat(1_000_000)
    const taken = () => Promise.race([once(out, 'drain'), pause(50, 'stuck')])
    let blocks = 0
    while (blocks < 100 && (out.write(block) || (await taken()) !== 'stuck')) blocks += 1
    expect(blocks).toBeLessThan(100)
    const drained = once(out, 'drain')
    await agentOf(answered)
    await drained
  })

  test('emits `close` when the client leaves, and ignores later writes', async () => {
    const { out, answered, request } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    await answered
    const closed = once(out, 'close')
    request.destroy()
    await closed
    expect(out.write('two')).toBe(false)
    await pause(5)
  })

  test('sends an answer that is whole within its turn in one write, with its length', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead({ statusCode: 200, headers: { 'content-type': 'application/json' } })
    out.write('{"a":"é"}')
    out.end()
    const { message, received } = await agentOf(answered)
    await once(message, 'end')
    expect(message.headers['content-length']).toBe('10')
    expect(message.headers['transfer-encoding']).toBeUndefined()
    expect(received()).toBe('{"a":"é"}')
  })

  test('sends an answer that ends in a later turn in chunks', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    await pause(1)
    out.end()
    const { message, received } = await agentOf(answered)
    await once(message, 'end')
    expect(message.headers['transfer-encoding']).toBe('chunked')
    expect(received()).toBe('one')
  })

  test('declares no length for a status without a body', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead({ statusCode: 204, headers: {} })
    out.write('')
    out.end()
    const { message } = await agentOf(answered)
    expect(message.statusCode).toBe(204)
    expect(message.headers['content-length']).toBeUndefined()
  })

  test('emits `finish` once its bytes are handed over, not before', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    out.end()
    expect([out.writableEnded, out.writableFinished]).toEqual([true, false])
    await once(out, 'finish')
    expect([out.writableFinished, out.write('late')]).toEqual([true, false])
    await answered
  })

  test('sends an answer whole that the twin cuts in the turn of its end', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    out.end()
    out.destroy()
    const { message, received } = await agentOf(answered)
    await once(message, 'end')
    expect([message.statusCode, received()]).toEqual([200, 'one'])
  })

  test('ends a stream that the twin cuts cleanly for the client', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.setHead(HEAD)
    out.write('one')
    const { message, received } = await agentOf(answered)
    const ended = once(message, 'end')
    out.destroy()
    await ended
    expect(message.complete).toBe(true)
    expect(received()).toBe('one')
  })

  test('answers 503 with a time to retry when cut before its head', async () => {
    const { out, answered } = await opened({ holdLastChunk: false })
    out.destroy()
    const { message, received } = await agentOf(answered)
    await once(message, 'end')
    expect(message.statusCode).toBe(503)
    expect(message.headers['retry-after']).toBe('1')
    expect(JSON.parse(received())).toMatchObject({ code: 'store_unavailable', status: 503 })
  })

  test.each([
    ['its client leaves', false],
    ['the server cuts it', true],
  ])('tells when it closes because %s', async (_why, isCut) => {
    const { answered, out, request } = await opened({ holdLastChunk: false })
    answered.catch(() => {})
    const closed = once(out, 'close')
    if (isCut) out.destroy()
    else request.destroy()
    await closed
    expect(out.isCut).toBe(isCut)
  })
})
