/** What becomes of the connections that are kept between two requests of a command. */
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { fetchAfresh } from '../../cli/gateway/fetch-afresh.ts'

/** In a thread of its own, since this one is held. Ends each connection soon after its answer, as others do after quiet seconds. */
const SERVER = `
  const { createServer } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const server = createServer((request, response) => {
    request.resume()
    setTimeout(() => response.end('answered', () => setTimeout(() => request.socket.resetAndDestroy(), 20)), 5)
  })
  server.on('connection', (socket) => socket.once('close', () => {
    Atomics.add(workerData, 0, 1)
    Atomics.notify(workerData, 0)
  }))
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

test('requests after work that held the process use no connection that the server ended meanwhile', async () => {
  const ended = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(SERVER, { eval: true, workerData: ended })
  onTestFinished(async () => void (await worker.terminate()))
  const port = await new Promise((resolve) => worker.once('message', resolve))
  const ask = async () =>
    (await fetchAfresh(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })).text()
  for (let round = 1; round <= 10; round += 1) {
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['answered', 'answered', 'answered'])
    holdProcess(ended, 3 * round)
  }
})

/** The event loop stands still until so many connections are ended. */
function holdProcess(ended: Int32Array, connections: number): void {
  for (let seen = Atomics.load(ended, 0); seen < connections; seen = Atomics.load(ended, 0)) {
    Atomics.wait(ended, 0, seen)
  }
}
