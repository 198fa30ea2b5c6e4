/** A TCP server that answers with whatever bytes a test writes, and an HTTP server beside it. */
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export type TestServer = { readonly url: string; readonly host: string; close(): Promise<void> }

/** `onRequest` runs with the text of the first chunk of each request. */
export async function tcpServer(
  onRequest: (socket: Socket, text: string, nth: number) => void,
): Promise<TestServer> {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      requests += 1
      onRequest(socket, data.toString('latin1'), requests)
    })
  })
  return listening(server)
}

export async function httpServer(listener: RequestListener): Promise<TestServer> {
  return listening(createHttpServer(listener))
}

async function listening(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
