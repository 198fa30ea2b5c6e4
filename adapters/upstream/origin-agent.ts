/**
 * Node's agent for one origin, with its guards: connects only to checked addresses, divides its connections by
 * owners, and hands all bytes of a connection to the reader of the answer before node's parser takes them.
 */
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, Socket } from 'node:net'
import type { Target } from '../../core/request/check-target.ts'
import {
  checkedLookup,
  type IsAddressAllowed,
  type Resolve,
  refuseOtherHosts,
} from './checked-address.ts'

/** What is known of one connection. */
export type Line = {
  readonly socket: Socket
  /** Undefined: no answer is due, and bytes end the connection. */
  reader: ((bytes: Buffer) => void) | undefined
  /** True once its handshakes are done. */
  isOpen: boolean
  /** True once it has carried an answer. */
  isReused: boolean
  /** While it is idle: the wall-clock time from which it is not used again. */
  idleUntilMs: number
}

export type Lines = WeakMap<object, Line>

/** Connections of another owner are never used. */
export type OwnedRequest = ClientRequestArgs & { readonly owner?: string }

export type Addresses = { readonly resolve: Resolve; readonly isPublic: IsAddressAllowed }

type Surroundings = {
  readonly addresses: Addresses
  readonly lines: Lines
  /** Reads the wall clock. */
  readonly nowMs: () => number
}

/** Connections to one origin at a time; further requests wait for one, within their own guard. */
export const CONNECTIONS_PER_ORIGIN_MAX = 512
/** Idle connections kept per origin: enough for a burst, few enough for a frozen function. */
const IDLE_MAX = 16
/** Below the 5 s after which a plain node server hangs up, so that we seldom meet its FIN. */
const IDLE_MS_MAX = 4_000

const POOL = {
  keepAlive: true,
  scheduling: 'lifo',
  timeout: IDLE_MS_MAX,
  maxFreeSockets: IDLE_MAX,
  maxTotalSockets: CONNECTIONS_PER_ORIGIN_MAX,
} as const

export function originAgent(to: Target, { addresses, lines, nowMs }: Surroundings): HttpAgent {
  const isAllowed = to.isAllowListed ? () => true : addresses.isPublic
  const agent = plainAgent(to, checkedLookup(addresses.resolve, isAllowed))
  const connect = agent.createConnection.bind(agent)
  /** The last TLS session, for quicker handshakes of all owners: node keeps one for each. */
  let session: Buffer | undefined
  agent.createConnection = (options, done) => {
    const socket = connect({ ...options, ...(session === undefined ? {} : { session }) }, done)
    if (!(socket instanceof Socket)) return socket
    refuseOtherHosts(socket, isAllowed)
    socket.on('session', (fresh: Buffer) => {
      session = fresh
    })
    socket.once('error', () => {
      session = undefined
    })
    lines.set(socket, watched(socket))
    return socket
  }
  const nameOf = agent.getName.bind(agent)
  agent.getName = (options?: OwnedRequest) => `${nameOf(options)} ${options?.owner ?? ''}`
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket): boolean => {
    const line = lines.get(socket)
    const isKept: unknown = keep(socket)
    // Whoever waits still is another owner, and gets the place.
    if (line === undefined || isKept === false || isWaitedFor(agent)) return false
    line.idleUntilMs = nowMs() + (line.socket.timeout ?? 0)
    const idle = idleOf(agent)
    if (idle.length >= IDLE_MAX) idle[0]?.destroy()
    return true
  }
  return agent
}

function plainAgent({ url }: Target, lookup: ReturnType<typeof checkedLookup>): HttpAgent {
  // An IPv6 address stands in brackets in a URL.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isSecure(url)) return new HttpAgent({ ...POOL, lookup, host, port: Number(url.port) || 80 })
  const port = Number(url.port) || 443
  // TLS sends no server name for an address (RFC 6066 section 3); the certificate is checked against the address
  // all the same.
  const tls = { servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] }
  return new HttpsAgent({ ...POOL, ...tls, lookup, host, port })
}

export function isSecure(url: URL): boolean {
  return url.protocol === 'https:'
}

function watched(socket: Socket): Line {
  const line: Line = { socket, reader: undefined, isOpen: false, isReused: false, idleUntilMs: 0 }
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
    line.isOpen = true
  })
  socket.on('data', (bytes: Buffer) => {
    if (line.reader === undefined) socket.destroy()
    else line.reader(bytes)
  })
  return line
}

export function idleOf(agent: HttpAgent): readonly Socket[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
}

export function isWaitedFor(agent: HttpAgent): boolean {
  return Object.keys(agent.requests).length > 0
}
