/**
 * Opens one connection to an upstream: only to an address that was checked, except for hosts on the
 * allow-list. Knows nothing of which connections are kept (connections.ts).
 */
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  checkedLookup,
  type IsAddressAllowed,
  type Resolve,
  refuseOtherHosts,
} from './checked-address.ts'
import type { Site } from './destination.ts'

export type Reader = {
  data(bytes: Buffer): void
  /** The connection has ended; undefined: without an error. */
  closed(cause: unknown): void
}

export type Connection = {
  readonly origin: string
  /** The user whose body it has carried; it serves no other. Undefined: it carried no body yet. */
  owner: string | undefined
  readonly socket: Socket
  /** Undefined while it is idle. */
  reader: Reader | undefined
  /** True once its handshakes are done. */
  isOpen: boolean
  /** True once it has carried an answer. */
  isReused: boolean
  /** While it is idle: the wall-clock time from which it is not used again. */
  idleUntilMs: number
}

/** The user behind a request. `hasBody`: true for any method but GET and HEAD. */
export type Sender = { readonly uid: string; readonly hasBody: boolean }

export type Addresses = { readonly resolve: Resolve; readonly isPublic: IsAddressAllowed }

export type ConnectionRequest = {
  readonly site: Site
  readonly wanted: 'any' | 'new'
  readonly sender: Sender
  /** Removes a waiting request from the queue once it aborts. */
  readonly signal: AbortSignal
}

/** Below the 5 s after which a plain node server hangs up, so that we seldom meet its FIN. */
export const IDLE_MS_MAX = 4_000
/** TLS sessions cached for quicker handshakes. */
const SESSIONS_MAX = 100

type PendingConnection = {
  readonly addresses: Addresses
  readonly sessions: Map<string, Buffer>
  readonly forget: (connection: Connection) => void
}

export function openConnection(
  { sender, site: { isAllowListed, origin, url } }: ConnectionRequest,
  { addresses, sessions, forget }: PendingConnection,
): Connection {
  const isAllowed = isAllowListed ? () => true : addresses.isPublic
  const at = placeOf(url, checkedLookup(addresses.resolve, isAllowed))
  const socket = url.protocol === 'https:' ? secureSocket(url, at, sessions) : connectPlain(at)
  refuseOtherHosts(socket, isAllowed)
  const connection: Connection = {
    origin,
    owner: sender.hasBody ? sender.uid : undefined,
    socket,
    reader: undefined,
    isOpen: false,
    isReused: false,
    idleUntilMs: 0,
  }
  let cause: unknown
  socket.setTimeout(IDLE_MS_MAX)
  socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    connection.isOpen = true
  })
  socket.on('data', (bytes: Buffer) => {
    if (connection.reader === undefined) socket.destroy()
    else connection.reader.data(bytes)
  })
  socket.on('timeout', () => {
    // While a request is under way, its own guard limits the time.
    if (connection.reader === undefined) socket.destroy()
  })
  socket.on('error', (thrown) => {
    cause = thrown
  })
  socket.once('close', () => {
    forget(connection)
    connection.reader?.closed(cause)
  })
  return connection
}

type Place = { host: string; port: number; noDelay: true; lookup: LookupFunction }

function placeOf(url: URL, lookup: LookupFunction): Place {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  // An IPv6 address stands in brackets in a URL.
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, noDelay: true, lookup }
}

function secureSocket(url: URL, at: Place, sessions: Map<string, Buffer>): Socket {
  const session = sessions.get(url.origin)
  const socket = connectTls({
    ...at,
    // TLS sends no server name for an address (RFC 6066 section 3); the certificate is checked
    // against the address all the same.
    servername: isIP(at.host) === 0 ? at.host : '',
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
  })
  socket.on('session', (fresh) => {
    if (sessions.size >= SESSIONS_MAX) sessions.clear()
    sessions.set(url.origin, fresh)
  })
  socket.on('error', () => sessions.delete(url.origin))
  return socket
}
