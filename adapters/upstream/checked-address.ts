/**
 * Lets a socket connect only to an address that was checked. First, node connects by a `lookup`
 * that returns a name's addresses only if all of them are public. So the connected address is the
 * checked one, even if the name resolves differently later. Second, the socket's remote address is
 * checked before a byte is written.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'

/** All addresses of a name. */
export type Resolve = (
  host: string,
  done: (cause: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export type IsAddressAllowed = (address: string) => boolean

/** The `code` of the error that ends a refused socket. */
export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS'

/** Resolves as every program of this machine does: hosts file, then DNS. */
export const resolveBySystem: Resolve = (host, done) => {
  systemLookup(host, { all: true }, done)
}

/**
 * One address that is not allowed refuses the name: attackers add a public address to pass a check.
 */
export function makeCheckedLookup(resolve: Resolve, isAllowed: IsAddressAllowed): LookupFunction {
  return (host, options, answer) => {
    resolve(host, (cause, addresses) => {
      // Checked first: node passes no addresses with an error, despite its types, and a throw in
      // this callback would end the process.
      if (cause !== null) return answer(cause, [])
      const [first] = addresses
      if (first === undefined) return answer(makeCodedError('ENOTFOUND'), [])
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return answer(makeCodedError(REFUSED_ADDRESS), [])
      }
      // Node sets `all` when it may try several addresses (autoSelectFamily); it tries no others.
      if (options.all === true) return answer(null, [...addresses])
      answer(null, first.address, first.family)
    })
  }
}

/** Its listener is the first one, because TLS sends bytes as soon as the socket is connected. */
export function refuseOtherHosts(socket: Socket, isAllowed: IsAddressAllowed): void {
  socket.prependOnceListener('connect', () => {
    if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(makeCodedError(REFUSED_ADDRESS))
  })
}

function makeCodedError(code: string): Error {
  return Object.assign(new Error(code), { code })
}
