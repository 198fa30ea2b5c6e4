/** An upstream that answers nothing until it is opened, and everything from then on. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Gate = {
  /** host:port */
  readonly host: string
  /** Resolves with the first request. */
  readonly asked: Promise<void>
  open(): void
  stop(): void
}

export async function startGate(): Promise<Gate> {
  const waiting: ServerResponse[] = []
  const first = Promise.withResolvers<void>()
  let isOpen = false
  const answer = (response: ServerResponse) => response.end('"through"')
  const server = createServer((_request, response) => {
    first.resolve()
    if (isOpen) answer(response)
    else waiting.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    asked: first.promise,
    open: () => {
      isOpen = true
      for (const response of waiting.splice(0)) answer(response)
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
