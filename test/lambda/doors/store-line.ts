// The line between the doors and the store: a TCP relay that a test can cut and restore, as an
// outage would. A cut line refuses at once; bytes on their way are lost.

import { createServer, connect as dial, type Socket } from 'node:net'

export type StoreLine = {
  /** The address that the doors use as the store. */
  readonly endpoint: string
  readonly cut: () => void
  readonly mend: () => void
  readonly stop: () => Promise<void>
}

export async function startStoreLine(storeEndpoint: string): Promise<StoreLine> {
  const { hostname, port } = new URL(storeEndpoint)
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer((near) => {
    keep(near)
    if (isCut) return void near.destroy()
    const far = dial(Number(port), hostname)
    keep(far)
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    cut: () => {
      isCut = true
      dropAll()
    },
    mend: () => {
      isCut = false
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        dropAll()
      }),
  }
}
