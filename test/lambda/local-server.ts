// One way to listen in these tests: 127.0.0.1, a free port, no idle or request timeouts (streams
// and long polls last), and a stop that waits for no connection.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LocalServer = {
  /** `127.0.0.1:port` */
  readonly host: string
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly stop: () => Promise<void>
}

export async function startLocalServer(listener: RequestListener): Promise<LocalServer> {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { host, url: `http://${host}`, stop }
}

/** The whole body, or undefined when it is longer than `bytesMax` (the rest is read and dropped). */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes <= bytesMax ? Buffer.concat(chunks) : undefined
}
