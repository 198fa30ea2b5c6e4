/** A server of the benches on a free port of loopback: says its URL as one line of JSON. */
import type { Server } from 'node:http'

export function printReady(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    console.log(JSON.stringify({ url: `http://127.0.0.1:${address.port}` }))
  })
}
