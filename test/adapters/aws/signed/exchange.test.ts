/** Connections that never come about. */
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { httpExchange } from '../../../../adapters/aws/signed/exchange.ts'

const LIMITS = {
  attemptsMax: 1,
  connectionTimeoutMs: 50,
  requestTimeoutMs: 60_000,
  pauseMs: 1,
  socketsMax: 1,
  answerBytesMax: 100,
}

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

test('a connection whose handshake of TLS has no end is given up, under the name of the service', async () => {
  const endpoint = new URL(`https://${await silentServer()}`)
  const exchange = httpExchange({ label: 'kms', limits: LIMITS }, { endpoint })
  onTestFinished(() => exchange.close())
  await expect(exchange.send({ headers: {}, body: '{}' })).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'kms: no connection within 50 ms',
  })
})

test('a request that waits for a connection in use is given up like one that cannot connect', async () => {
  const endpoint = new URL(`http://${await silentServer()}`)
  const exchange = httpExchange({ label: 'kms', limits: LIMITS }, { endpoint })
  const first = exchange.send({ headers: {}, body: '{}' })
  onTestFinished(async () => {
    exchange.close()
    await expect(first).rejects.toThrow()
  })
  await expect(exchange.send({ headers: {}, body: '{}' })).rejects.toMatchObject({
    message: 'kms: no connection within 50 ms',
  })
})
