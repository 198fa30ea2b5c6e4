/**
 * A socket's way to an address that was checked. First bolt: the `lookup` that node connects by hands
 * out a name's addresses only if all of them are public, so what is connected to is what was checked,
 * however the name answers the next time. Second bolt: the other end, before a byte is written.
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

/** As any program of this machine would: hosts file, then DNS. */
export const resolveBySystem: Resolve = (host, done) => {
  systemLookup(host, { all: true }, done)
}

/** One bad address refuses the name: a good one beside it is how a check is led past. */
export function checkedLookup(resolve: Resolve, isAllowed: IsAddressAllowed): LookupFunction {
  return (host, options, answer) => {
    resolve(host, (cause, addresses) => {
      // First of all: node gives no addresses with an error, whatever its types say, and what is
      // thrown here is thrown by nobody's call: it ends the process.
      if (cause !== null) return answer(cause, [])
      const [first] = addresses
      if (first === undefined) return answer(coded('ENOTFOUND'), [])
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return answer(coded(REFUSED_ADDRESS), [])
      }
      // `all` is how node asks when it may try several (autoSelectFamily); it tries no other.
      if (options.all === true) return answer(null, [...addresses])
      answer(null, first.address, first.family)
    })
  }
}

/** Before any other listener: TLS greets as soon as there is a connection. */
export function refuseOtherHosts(socket: Socket, isAllowed: IsAddressAllowed): void {
  socket.prependOnceListener('connect', () => {
    if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(coded(REFUSED_ADDRESS))
  })
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}
