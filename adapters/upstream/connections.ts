/**
 * Connections to upstreams, kept for the next request of the same origin, the last used first (ADR
 * 0017: why not node's agents). Hands a connection to one request at a time; one that says anything
 * unasked is ended. Opens none to an address that was not checked, but for hosts on the allow-list;
 * one that was checked is kept for its own name alone.
 */
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Target } from '../../core/call/check-target.ts'
import {
  checkedLookup,
  type IsAddressAllowed,
  type Resolve,
  refuseOtherHosts,
} from './checked-address.ts'

export type Reader = {
  data(bytes: Buffer): void
  /** The connection is gone; undefined: without an error. */
  closed(cause: unknown): void
}

export type Connection = {
  readonly origin: string
  readonly socket: Socket
  /** Undefined while it is idle. */
  reader: Reader | undefined
  /** True once it has carried an answer. */
  isReused: boolean
}

export type Connections = {
  /** Calls `use` with a connection that nobody else has, at once or when one is to be had. */
  take(target: Target, how: 'any' | 'new', use: (connection: Connection) => void): void
  /** After a whole answer; for so long at most, 0 for not at all. */
  keep(connection: Connection, idleMs: number): void
  /** Ends one that was kept, unless it serves another request by now. */
  drop(connection: Connection): void
  /** Ends the idle ones. */
  close(): void
}

/** To one origin at a time; further requests wait for one, within their own guard. */
export const CONNECTIONS_PER_ORIGIN_MAX = 512
/** Idle ones kept per origin: enough for a burst, few enough for a frozen function. */
const IDLE_MAX = 16
/** Below the 5 s after which a plain node server hangs up, so that we seldom meet its FIN. */
export const IDLE_MS_MAX = 4_000
/** TLS sessions remembered, for quicker handshakes. */
const SESSIONS_MAX = 100

type Origin = { readonly idle: Connection[]; readonly waiting: (() => void)[]; open: number }

export type Addresses = { readonly resolve: Resolve; readonly isPublic: IsAddressAllowed }

export function upstreamConnections(addresses: Addresses): Connections {
  const origins = new Map<string, Origin>()
  const sessions = new Map<string, Buffer>()

  const originOf = (name: string): Origin => {
    const known = origins.get(name)
    if (known !== undefined) return known
    const fresh = { idle: [], waiting: [], open: 0 }
    origins.set(name, fresh)
    return fresh
  }
  const forget = (connection: Connection) => {
    const of = originOf(connection.origin)
    of.open -= 1
    const at = of.idle.indexOf(connection)
    if (at >= 0) of.idle.splice(at, 1)
    of.waiting.shift()?.()
    if (of.open === 0) origins.delete(connection.origin)
  }
  const take: Connections['take'] = (target, how, use) => {
    const of = originOf(target.url.origin)
    const kept = how === 'any' ? lastUsable(of.idle) : undefined
    if (kept !== undefined) return use(kept)
    if (of.open >= CONNECTIONS_PER_ORIGIN_MAX) {
      of.waiting.push(() => take(target, how, use))
      return
    }
    of.open += 1
    use(opened(target, { addresses, sessions, forget }))
  }
  return {
    take,
    keep: (connection, idleMs) => {
      const of = originOf(connection.origin)
      const { socket } = connection
      connection.reader = undefined
      connection.isReused = true
      // What is still being written belongs to a request that was answered early.
      const isFit = isUsable(connection) && socket.writableLength === 0
      if (!isFit || idleMs <= 0 || of.idle.length >= IDLE_MAX) return void socket.destroy()
      if (socket.timeout !== idleMs) socket.setTimeout(idleMs)
      socket.unref()
      of.idle.push(connection)
      of.waiting.shift()?.()
    },
    drop: ({ reader, socket }) => {
      if (reader === undefined) socket.destroy()
    },
    close: () => {
      for (const { idle } of origins.values()) for (const { socket } of [...idle]) socket.destroy()
    },
  }
}

function lastUsable(idle: Connection[]): Connection | undefined {
  for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
    if (!isUsable(last)) continue
    last.socket.ref()
    return last
  }
  return undefined
}

/** Not once the other side has ended its half. */
function isUsable({ socket }: Connection): boolean {
  return !socket.destroyed && socket.writable && !socket.readableEnded
}

type PendingConnection = {
  readonly addresses: Addresses
  readonly sessions: Map<string, Buffer>
  readonly forget: (connection: Connection) => void
}

function opened(
  { isAllowListed, url }: Target,
  { addresses, sessions, forget }: PendingConnection,
) {
  const isAllowed = isAllowListed ? () => true : addresses.isPublic
  const at = placeOf(url, checkedLookup(addresses.resolve, isAllowed))
  const socket = url.protocol === 'https:' ? secureSocket(url, at, sessions) : connectPlain(at)
  refuseOtherHosts(socket, isAllowed)
  const connection: Connection = {
    origin: url.origin,
    socket,
    reader: undefined,
    isReused: false,
  }
  let cause: unknown
  socket.setTimeout(IDLE_MS_MAX)
  socket.on('data', (bytes: Buffer) => {
    if (connection.reader === undefined) socket.destroy()
    else connection.reader.data(bytes)
  })
  socket.on('timeout', () => {
    // While a request is under way its own guard judges how long that may take.
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
    // An address is no name (RFC 6066 section 3); the certificate is checked against it all the same.
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
