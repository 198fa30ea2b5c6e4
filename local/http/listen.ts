/**
 * Opens and closes the twin's port. A port that cannot be opened becomes one line with the remedy.
 */
import type { Server } from 'node:http'
import { errorCode, StartFault } from '../start-fault.ts'

/** Answers the port: the requested one, or a free one for 0. */
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

/** Takes no new connection, and drops the open ones. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function whyNot({ host, port }: { host: string; port: number }, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: stop the other program, or choose another port with --port N (0 for any free one).`
    case 'EACCES':
      return `Port ${port} needs rights that this user lacks: choose one above 1023 with --port N.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: use --host 127.0.0.1, or 0.0.0.0 for all addresses.`
    default:
      return `Cannot listen on ${host}:${port} (${code || 'unknown reason'}): try another --host or --port.`
  }
}
