/** Opens and closes the twin's port; a port that cannot be had is one line with the remedy. */
import type { Server } from 'node:http'
import { errorCode, StartFault } from '../start-fault.ts'

/** Answers the port, which is another than asked for when that was 0. */
export function listen(server: Server, at: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => reject(new StartFault(whyNot(at, errorCode(cause)), cause))
    server.once('error', failed)
    server.listen(at.port, at.host, () => {
      server.off('error', failed)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : at.port)
    })
  })
}

/** Takes no new connection, and drops those that are open. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function whyNot({ host, port }: { host: string; port: number }, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken: stop what uses it, or take another with --port N (0 takes a free one).`
    case 'EACCES':
      return `Port ${port} needs rights that this user lacks: take one above 1023 with --port N.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: use --host 127.0.0.1, or 0.0.0.0 for all of them.`
    default:
      return `Cannot listen on ${host}:${port} (${code || 'unknown reason'}): try another --host or --port.`
  }
}
