/**
 * Opens and closes the twin's port. A port that cannot be opened becomes a fault of one line with
 * the remedy.
 */
import type { Server } from 'node:http'
import { readErrorCode, StartFault } from '../start-fault.ts'

/**
 * Opens the port and returns it: the requested one, or a free one for 0. Rejects with a StartFault.
 */
export function openPort(server: Server, at: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const rejectWithFault = (cause: Error) =>
      reject(new StartFault(explainFailure(at, readErrorCode(cause)), cause))
    server.once('error', rejectWithFault)
    server.listen(at.port, at.host, () => {
      server.off('error', rejectWithFault)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : at.port)
    })
  })
}

/** Accepts no further connection, and closes the open ones. */
export function closePort(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function explainFailure({ host, port }: { host: string; port: number }, code: string): string {
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
