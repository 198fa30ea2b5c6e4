/**
 * Connections to upstreams, kept for the next request of the same origin, the most recently used
 * first (ADR 0017 explains why these are not node's agents). Gives a connection to one request at a
 * time, and ends one that sends bytes unasked. Opens connections only to checked addresses, except
 * for hosts on the allow-list, and keeps each for its own name alone.
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
  /** True once it has carried an answer. */
  isReused: boolean
  /** While it is idle: the wall-clock time from which it is not used again. */
  idleUntilMs: number
}

/** The user behind a request. `hasBody`: true for any method but GET and HEAD. */
export type Sender = { readonly uid: string; readonly hasBody: boolean }

export type Connections = {
  /**
   * Calls `use` with a connection of its own, at once or when one becomes free. A server that finds
   * the end of a request elsewhere than we do takes a part of one body for the next request, so a
   * connection belongs to the first user who sends a body over it.
   */
  take(request: ConnectionRequest, use: (connection: Connection) => void): void
  /** Keeps a connection after a whole answer, for `idleMs` at most; 0 ends it. */
  keep(connection: Connection, idleMs: number): void
  /** Ends a kept connection, unless it serves another request by now. */
  drop(connection: Connection): void
  /** Ends the idle connections. */
  close(): void
}

/** Connections to one origin at a time; further requests wait for one, within their own guard. */
export const CONNECTIONS_PER_ORIGIN_MAX = 512
/** Idle connections kept per origin: enough for a burst, few enough for a frozen function. */
const IDLE_MAX = 16
/** Below the 5 s after which a plain node server hangs up, so that we seldom meet its FIN. */
export const IDLE_MS_MAX = 4_000
/** TLS sessions cached for quicker handshakes. */
const SESSIONS_MAX = 100

type Origin = {
  /** The most recently used connection is the last. */
  readonly idle: Connection[]
  readonly waiting: (() => void)[]
  open: number
  isServing: boolean
}

export type Addresses = { readonly resolve: Resolve; readonly isPublic: IsAddressAllowed }

export type ConnectionRequest = {
  readonly target: Target
  readonly how: 'any' | 'new'
  readonly sender: Sender
  /** Removes a waiting request from the queue once it aborts. */
  readonly signal: AbortSignal
}

/** `nowMs` reads the wall clock: a frozen function's timers stand still while connections age. */
export function upstreamConnections(addresses: Addresses, nowMs = Date.now): Connections {
  const origins = new Map<string, Origin>()
  const sessions = new Map<string, Buffer>()

  const originOf = (name: string): Origin => {
    const known = origins.get(name)
    if (known !== undefined) return known
    const fresh = { idle: [], waiting: [], open: 0, isServing: false }
    origins.set(name, fresh)
    return fresh
  }
  const forget = (connection: Connection) => {
    const of = originOf(connection.origin)
    of.open -= 1
    const at = of.idle.indexOf(connection)
    if (at >= 0) of.idle.splice(at, 1)
    serveWaiting(of)
    if (of.open === 0 && of.waiting.length === 0) origins.delete(connection.origin)
  }
  const take: Connections['take'] = (request, use) => {
    const { how, sender, target } = request
    const of = originOf(target.url.origin)
    const kept = how === 'any' ? takeUsable(of.idle, sender, nowMs()) : undefined
    if (kept !== undefined) {
      if (sender.hasBody) kept.owner = sender.uid
      return use(kept)
    }
    if (of.open >= CONNECTIONS_PER_ORIGIN_MAX) {
      of.waiting.push(() => {
        if (!request.signal.aborted) take(request, use)
      })
      // Ends an idle connection of another user to make room; its end serves the waiting request.
      of.idle.shift()?.socket.destroy()
      return
    }
    of.open += 1
    use(opened(request, { addresses, sessions, forget }))
  }
  return {
    take,
    keep: (connection, idleMs) => {
      const of = originOf(connection.origin)
      const { socket } = connection
      connection.reader = undefined
      connection.isReused = true
      // Bytes still being written belong to an earlier request that was answered before its end.
      const isFit = isUsable(connection) && socket.writableLength === 0
      if (!isFit || idleMs <= 0) return void socket.destroy()
      if (of.idle.length >= IDLE_MAX) of.idle.shift()?.socket.destroy()
      if (socket.timeout !== idleMs) socket.setTimeout(idleMs)
      connection.idleUntilMs = nowMs() + idleMs
      socket.unref()
      of.idle.push(connection)
      serveWaiting(of)
    },
    drop: ({ reader, socket }) => {
      if (reader === undefined) socket.destroy()
    },
    close: () => {
      for (const { idle } of origins.values()) for (const { socket } of [...idle]) socket.destroy()
    },
  }
}

/**
 * Gives connections to waiting requests in a loop, never recursively: an aborted request returns its
 * connection at once, and thousands of them would overflow the stack.
 */
function serveWaiting(of: Origin): void {
  if (of.isServing) return
  of.isServing = true
  try {
    while (of.waiting.length > 0 && (of.idle.length > 0 || of.open < CONNECTIONS_PER_ORIGIN_MAX)) {
      of.waiting.shift()?.()
    }
  } finally {
    of.isServing = false
  }
}

/** The last used connection for this sender: the sender's own first, then one without an owner. */
function takeUsable(idle: Connection[], sender: Sender, nowMs: number): Connection | undefined {
  for (;;) {
    const own = idle.findLastIndex(({ owner }) => owner === sender.uid)
    const at = own >= 0 ? own : idle.findLastIndex(({ owner }) => owner === undefined)
    const [connection] = at < 0 ? [] : idle.splice(at, 1)
    if (connection === undefined) return undefined
    if (isUsable(connection) && nowMs < connection.idleUntilMs) {
      connection.socket.ref()
      return connection
    }
    connection.socket.destroy()
  }
}

/** False once the other side has ended its half. */
function isUsable({ socket }: Connection): boolean {
  return !socket.destroyed && socket.writable && !socket.readableEnded
}

type PendingConnection = {
  readonly addresses: Addresses
  readonly sessions: Map<string, Buffer>
  readonly forget: (connection: Connection) => void
}

function opened(
  { sender, target: { isAllowListed, url } }: ConnectionRequest,
  { addresses, sessions, forget }: PendingConnection,
) {
  const isAllowed = isAllowListed ? () => true : addresses.isPublic
  const at = placeOf(url, checkedLookup(addresses.resolve, isAllowed))
  const socket = url.protocol === 'https:' ? secureSocket(url, at, sessions) : connectPlain(at)
  refuseOtherHosts(socket, isAllowed)
  const connection: Connection = {
    origin: url.origin,
    owner: sender.hasBody ? sender.uid : undefined,
    socket,
    reader: undefined,
    isReused: false,
    idleUntilMs: 0,
  }
  let cause: unknown
  socket.setTimeout(IDLE_MS_MAX)
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
