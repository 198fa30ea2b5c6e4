/** A function URL on 127.0.0.1 that records its requests in raw form, for checks of signatures. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { roleOf, type TestRole } from '../../lambda/credentials.ts'

export type ReceivedRequest = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly remotePort: number | undefined
}

export type InternalServer = {
  readonly url: URL
  readonly requests: readonly ReceivedRequest[]
  close(): Promise<void>
}

export const ROLE: TestRole = roleOf('sse')
export const NOW_MS = Date.UTC(2026, 10, 21, 12)

export async function internalServer(
  answer: (response: ServerResponse, request: ReceivedRequest) => void,
): Promise<InternalServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one: ReceivedRequest = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: Buffer.concat(chunks),
      remotePort: request.socket.remotePort,
    }
    requests.push(one)
    answer(response, one)
  })
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    requests,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export function optionsFor(server: InternalServer, clock = { nowMs: () => NOW_MS }) {
  const { accessKeyId, secretAccessKey, sessionToken } = ROLE
  return {
    url: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    clock,
  }
}
