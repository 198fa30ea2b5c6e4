/**
 * Connections to upstreams, each for its own name alone: one agent of node for each origin. Uses no connection that
 * has been idle for too long by the wall clock, that sent bytes unasked, or that carried the body of another user.
 */
import { type Agent, type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Target } from '../../core/request/check-target.ts'
import {
  type Addresses,
  idleOf,
  isSecure,
  isWaitedFor,
  type Line,
  type Lines,
  type OwnedRequest,
  originAgent,
} from './origin-agent.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'
import { HEAD_BYTES_MAX } from './response-bytes.ts'

type Head = { readonly method: string; readonly headers: OutgoingHeaders }

/** The user behind a request. `hasBody`: true for any method but GET and HEAD. */
type Sender = { readonly uid: string; readonly hasBody: boolean }

export type Connections = {
  /**
   * Begins a request on an idle connection, on a new one, or on the next that becomes free. A server that finds the
   * end of a request elsewhere than we do takes a part of one body for the next request, so a connection that may
   * carry a body serves one user, and requests without a body have connections of their own.
   */
  begin(to: Target, head: Head, sender: Sender): ClientRequest
  /** Undefined for a connection that is not ours. */
  lineOf(socket: Socket): Line | undefined
  /** Ends the idle connections to an origin. */
  endIdle(origin: string): void
  /** Ends all idle connections. */
  close(): void
}

/** Origins with an agent; one more, and all idle connections are ended. */
const ORIGINS_MAX = 1_000

/** `nowMs` reads the wall clock: a frozen function's timers stand still while connections age. */
export function upstreamConnections(addresses: Addresses, nowMs = Date.now): Connections {
  const agents = new Map<string, Agent>()
  const lines: Lines = new WeakMap()

  const close = () => {
    for (const agent of agents.values()) endIdle(agent)
  }
  const agentOf = (to: Target): Agent => {
    const { origin } = to.url
    const known = agents.get(origin)
    if (known !== undefined) return known
    if (agents.size >= ORIGINS_MAX) {
      close()
      agents.clear()
    }
    const fresh = originAgent(to, { addresses, lines, nowMs })
    agents.set(origin, fresh)
    return fresh
  }
  const isUnfit = (socket: Socket): boolean =>
    nowMs() >= (lines.get(socket)?.idleUntilMs ?? 0) || socket.readableEnded || !socket.writable
  return {
    begin: (to, { headers, method }, { hasBody, uid }) => {
      const agent = agentOf(to)
      endIdle(agent, isUnfit)
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
      // Makes room: an idle connection of another user holds a place.
      if (isWaitedFor(agent)) idleOf(agent)[0]?.destroy()
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

/** At once: the agent would hear of `close` a turn later, and use one of them until then. */
function endIdle(agent: Agent, isEnded: (socket: Socket) => boolean = () => true): void {
  for (const socket of idleOf(agent).filter(isEnded)) {
    socket.destroy()
    socket.emit('agentRemove')
  }
}
