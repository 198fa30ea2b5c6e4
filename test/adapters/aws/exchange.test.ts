/** Connections that never come about. */
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeHttpExchange } from '../../../adapters/aws/exchange.ts'

const LIMITS = {
  connectionTimeoutMs: 50,
  requestTimeoutMs: 60_000,
  socketsMax: 1,
  idleSocketMs: 1_000,
  answerBytesMax: 100,
}

const POST = { method: 'POST', headers: {}, body: '{}' }

async function silentServer(): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const at = server.address()
  return `127.0.0.1:${typeof at === 'object' ? at?.port : ''}`
}

test('a connection whose handshake of TLS has no end is given up, under the name of its client', async () => {
  const url = new URL(`https://${await silentServer()}`)
  const exchange = makeHttpExchange('store', LIMITS)
  onTestFinished(() => exchange.close())
  await expect(exchange.send({ ...POST, url })).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'store: no connection within 50 ms',
  })
})

test('a request that waits for a connection in use is given up like one that cannot connect', async () => {
  const url = new URL(`http://${await silentServer()}`)
  const exchange = makeHttpExchange('store', LIMITS)
  const first = exchange.send({ ...POST, url })
  onTestFinished(async () => {
    exchange.close()
    await expect(first).rejects.toThrow()
  })
  await expect(exchange.send({ ...POST, url })).rejects.toMatchObject({
    message: 'store: no connection within 50 ms',
  })
})
