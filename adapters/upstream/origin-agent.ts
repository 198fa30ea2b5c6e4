/**
 * Node's agent for one origin, with guards. It connects only to checked addresses, keeps separate
 * connections for each owner, and hands all bytes of a connection to the reader of the answer
 * before node's parser gets them.
 */
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, Socket } from 'node:net'
import type { Target } from '../../core/request/check-target.ts'
import {
  type IsAddressAllowed,
  makeCheckedLookup,
  type Resolve,
  refuseOtherHosts,
} from './checked-address.ts'

/** The state of one connection. */
export type Line = {
  readonly socket: Socket
  /** Undefined while no answer is expected: then any byte ends the connection. */
  reader: ((bytes: Buffer) => void) | undefined
  /** True when its handshakes are complete. */
  isOpen: boolean
  /** True when it has carried an answer. */
  isReused: boolean
  /** While it is idle: the wall-clock time (ms) from which it is not used again. */
  idleUntilMs: number
}

export type Lines = WeakMap<object, Line>

/** A request never uses a connection of another owner. */
export type OwnedRequest = ClientRequestArgs & { readonly owner?: string }

export type Addresses = {
  readonly resolve: Resolve
  readonly isAllowed: (address: string, to: Target) => boolean
}

type AgentNeeds = {
  readonly addresses: Addresses
  readonly lines: Lines
  /** Reads the wall clock. */
  readonly nowMs: () => number
}

/** Connections to one origin at a time; further requests wait for one, up to their own deadline. */
export const CONNECTIONS_PER_ORIGIN_MAX = 512
/** Idle connections kept per origin: enough for a burst, few enough for a frozen function. */
const IDLE_MAX = 16
/** Below the 5 s after which a node server closes an idle connection. */
const IDLE_MS_MAX = 4_000

const POOL = {
  keepAlive: true,
  scheduling: 'lifo',
  timeout: IDLE_MS_MAX,
  maxFreeSockets: IDLE_MAX,
  maxTotalSockets: CONNECTIONS_PER_ORIGIN_MAX,
} as const

/** Makes the agent; `lines` gets an entry for each connection. */
export function makeOriginAgent(to: Target, { addresses, lines, nowMs }: AgentNeeds): HttpAgent {
  const isAddressAllowed: IsAddressAllowed = (address) => addresses.isAllowed(address, to)
  const agent = makePlainAgent(to, makeCheckedLookup(addresses.resolve, isAddressAllowed))
  const connect = agent.createConnection.bind(agent)
  /** The last TLS session, shared by all owners for quicker handshakes. */
  let session: Buffer | undefined
  agent.createConnection = (options, done) => {
    const socket = connect({ ...options, ...(session === undefined ? {} : { session }) }, done)
    if (!(socket instanceof Socket)) return socket
    refuseOtherHosts(socket, isAddressAllowed)
    socket.on('session', (fresh: Buffer) => {
      session = fresh
    })
    socket.once('error', () => {
      session = undefined
    })
    lines.set(socket, watchSocket(socket))
    return socket
  }
  const getPlainName = agent.getName.bind(agent)
  agent.getName = (options?: OwnedRequest) => `${getPlainName(options)} ${options?.owner ?? ''}`
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket): boolean => {
    const line = lines.get(socket)
    const isKept: unknown = keep(socket)
    // A request that still waits belongs to another owner, and gets the connection's place.
    if (line === undefined || isKept === false || hasWaitingRequests(agent)) return false
    line.idleUntilMs = nowMs() + (line.socket.timeout ?? 0)
    const idle = listIdleSockets(agent)
    if (idle.length >= IDLE_MAX) idle[0]?.destroy()
    return true
  }
  return agent
}

function makePlainAgent({ url }: Target, lookup: ReturnType<typeof makeCheckedLookup>): HttpAgent {
  // A URL has an IPv6 address in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isSecure(url)) return new HttpAgent({ ...POOL, lookup, host, port: Number(url.port) || 80 })
  const port = Number(url.port) || 443
  // TLS sends no server name for an address (RFC 6066 section 3); the certificate is still checked
  // against the address.
  const tls = { servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] }
  return new HttpsAgent({ ...POOL, ...tls, lookup, host, port })
}

export function isSecure(url: URL): boolean {
  return url.protocol === 'https:'
}

function watchSocket(socket: Socket): Line {
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

export function listIdleSockets(agent: HttpAgent): readonly Socket[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
}

export function hasWaitingRequests(agent: HttpAgent): boolean {
  return Object.keys(agent.requests).length > 0
}
