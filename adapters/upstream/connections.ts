/**
 * Connections to upstreams: one agent of node for each origin. A connection is not used again if it
 * was idle for too long by the wall clock, if it sent unexpected bytes, or if it carried the body
 * of another user.
 */
import { type Agent, type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Target } from '../../core/request/check-target.ts'
import {
  type Addresses,
  hasWaitingRequests,
  isSecure,
  type Line,
  type Lines,
  listIdleSockets,
  makeOriginAgent,
  type OwnedRequest,
} from './origin-agent.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { HEAD_BYTES_MAX } from './response-bytes.ts'

type Head = { readonly method: string; readonly headers: OutgoingHeaders }

/** The user behind a request. `hasBody`: true for any method but GET and HEAD. */
type Sender = { readonly uid: string; readonly hasBody: boolean }

export type Connections = {
  /**
   * Begins a request on an idle connection, on a new one, or on the next that becomes free. A
   * server that finds the end of a request at another byte reads a part of its body as the next
   * request. So a connection that may carry a body serves one user, and requests without a body use
   * others.
   */
  begin(to: Target, head: Head, sender: Sender): ClientRequest
  /** Undefined for a connection that this file did not open. */
  lineOf(socket: Socket): Line | undefined
  /** Ends the idle connections to an origin. */
  endIdle(origin: string): void
  /** Ends all idle connections. */
  close(): void
}

/**
 * Origins with an agent. If there are more, all idle connections are ended and all agents dropped.
 */
const ORIGINS_MAX = 1_000

/** `nowMs` reads the wall clock: timers of a frozen function stop while its connections age. */
export function openConnections(addresses: Addresses, nowMs = Date.now): Connections {
  const agents = new Map<string, Agent>()
  const lines: Lines = new WeakMap()

  const close = () => {
    for (const agent of agents.values()) endIdle(agent)
  }
  const findAgent = (to: Target): Agent => {
    const { origin } = to.url
    const existing = agents.get(origin)
    if (existing !== undefined) return existing
    if (agents.size >= ORIGINS_MAX) {
      close()
      agents.clear()
    }
    const fresh = makeOriginAgent(to, { addresses, lines, nowMs })
    agents.set(origin, fresh)
    return fresh
  }
  const isUnusable = (socket: Socket): boolean =>
    nowMs() >= (lines.get(socket)?.idleUntilMs ?? 0) || socket.readableEnded || !socket.writable
  return {
    begin: (to, { headers, method }, { hasBody, uid }) => {
      const agent = findAgent(to)
      endIdle(agent, isUnusable)
      const options: OwnedRequest = {
        agent,
        method,
        path: to.url.pathname + to.url.search,
        headers,
        owner: hasBody ? `body of ${uid}` : '',
        maxHeaderSize: HEAD_BYTES_MAX,
        insecureHTTPParser: false,
      }
      const request = (isSecure(to.url) ? httpsRequest : httpRequest)(options)
      // An idle connection of another user is ended to make room.
      if (hasWaitingRequests(agent)) listIdleSockets(agent)[0]?.destroy()
      return request
    },
    lineOf: (socket) => lines.get(socket),
    endIdle: (origin) => {
      const agent = agents.get(origin)
      if (agent !== undefined) endIdle(agent)
    },
    close,
  }
}

/** Tells the agent at once: until `close`, a turn later, the agent could use the socket. */
function endIdle(agent: Agent, isEnded: (socket: Socket) => boolean = () => true): void {
  for (const socket of listIdleSockets(agent).filter(isEnded)) {
    socket.destroy()
    socket.emit('agentRemove')
  }
}
