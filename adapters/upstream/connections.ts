/**
 * Connections to upstreams, kept for the next request of the same origin, the most recently used
 * first (ADR 0017 explains why these are not node's agents). Gives a connection to one request at a
 * time, and ends one that sends bytes unasked. Opens connections only to checked addresses, except
 * for hosts on the allow-list, and keeps each for its own name alone.
 */
import {
  type Addresses,
  type Connection,
  type ConnectionRequest,
  openConnection,
  type Sender,
} from './open-connection.ts'

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

type Origin = {
  /** The most recently used connection is the last. */
  readonly idle: Connection[]
  readonly waiting: (() => void)[]
  open: number
  isServing: boolean
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
    const { sender, site, wanted } = request
    const of = originOf(site.origin)
    const idleConnection = wanted === 'any' ? takeUsable(of.idle, sender, nowMs()) : undefined
    if (idleConnection !== undefined) {
      if (sender.hasBody) idleConnection.owner = sender.uid
      return use(idleConnection)
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
    use(openConnection(request, { addresses, sessions, forget }))
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
    const at = placeFor(idle, sender)
    if (at < 0) return undefined
    const connection = at === idle.length - 1 ? idle.pop() : idle.splice(at, 1)[0]
    if (connection === undefined) return undefined
    if (isUsable(connection) && nowMs < connection.idleUntilMs) {
      connection.socket.ref()
      return connection
    }
    connection.socket.destroy()
  }
}

/** -1: none of them. */
function placeFor(idle: readonly Connection[], { uid }: Sender): number {
  let free = -1
  for (let at = idle.length - 1; at >= 0; at -= 1) {
    const owner = idle[at]?.owner
    if (owner === uid) return at
    if (owner === undefined && free < 0) free = at
  }
  return free
}

/** False once the other side has ended its half. */
function isUsable({ socket }: Connection): boolean {
  return !socket.destroyed && socket.writable && !socket.readableEnded
}
