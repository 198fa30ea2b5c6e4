/**
 * Lets a socket connect only to an address that was checked. First, the `lookup` that node connects
 * by answers a name's addresses only if all of them are public, so the checked address is the
 * connected one, even if the name resolves differently the next time. Second, the socket's remote
 * address is checked before a byte is written.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'

/** All addresses of a name. */
export type Resolve = (
  host: string,
  done: (cause: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export type IsAddressAllowed = (address: string) => boolean

/** The `code` of the error that a refused socket ends with. */
export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS'

/** Resolves like any program of this machine: hosts file, then DNS. */
export const resolveBySystem: Resolve = (host, done) => {
  systemLookup(host, { all: true }, done)
}

/**
 * One refused address refuses the name: a public address beside it is how attackers pass a check.
 */
export function checkedLookup(resolve: Resolve, isAllowed: IsAddressAllowed): LookupFunction {
  return (host, options, answer) => {
    resolve(host, (cause, addresses) => {
      // First of all: node passes no addresses along with an error, whatever its types say, and a
      // throw in this callback would end the process.
      if (cause !== null) return answer(cause, [])
      const [first] = addresses
      if (first === undefined) return answer(coded('ENOTFOUND'), [])
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return answer(coded(REFUSED_ADDRESS), [])
      }
      // Node sets `all` when it may try several addresses (autoSelectFamily); it tries no others.
      if (options.all === true) return answer(null, [...addresses])
      answer(null, first.address, first.family)
    })
  }
}

/**
 * Listens before any other listener: TLS sends its first bytes as soon as the socket is connected.
 */
export function refuseOtherHosts(socket: Socket, isAllowed: IsAddressAllowed): void {
  socket.prependOnceListener('connect', () => {
    if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(coded(REFUSED_ADDRESS))
  })
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}
