/**
 * The stream on which a server with sessions sends what belongs to no request: some ask their
 * questions there. It is held while a call runs whose caller can be asked, and ends with the call.
 * A server allows one for each session, so of several calls at once of one user, one has it. Bound
 * by MCP 2025-11-25, basic/transports, Listening for Messages from the Server.
 */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { McpServer } from '../../core/ports/mcp-servers.ts'
import type { Upstream, UpstreamLimits } from '../../core/ports/outside.ts'
import { isModern, type Peer } from './peer.ts'
import { readEvents, toRequest } from './post-rpc.ts'
import type { ServerMessage } from './read-message.ts'
import { writeListen } from './write-message.ts'

/**
 * How long a call waits for its stream. A question that is sent before the stream begins is lost;
 * a server that begins its streams late must not use up the call's time.
 */
export const LISTEN_MS_MAX = 1_000

export type ListenTerms = {
  readonly upstream: Upstream
  readonly server: McpServer
  readonly limits: UpstreamLimits
  /** Sessions of servers that refused a stream, which are not asked for one again. */
  readonly withoutStream: WeakSet<Peer>
  readonly onMessage: (message: ServerMessage, peer: Peer) => void
}

/** Opens the stream of each session in which the call is sent; `end` closes it. Never throws. */
export function makeListener(terms: ListenTerms) {
  const over = new AbortController()
  let heard: Peer | undefined
  return {
    /** Resolves when the stream has begun or was refused, or after LISTEN_MS_MAX. */
    begin: async (peer: Peer): Promise<void> => {
      const isDeaf = peer.sessionId === undefined || isModern(peer) || terms.withoutStream.has(peer)
      if (isDeaf || peer === heard || terms.limits.asker === undefined) return
      heard = peer
      await listen(terms, peer, over.signal)
    },
    end: () => over.abort(),
  }
}

function listen(terms: ListenTerms, peer: Peer, over: AbortSignal): Promise<void> {
  const { limits, onMessage, server, upstream, withoutStream } = terms
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const timer = setTimeout(begin, LISTEN_MS_MAX)
  const stream = readEvents((message) => {
    onMessage(message, peer)
    return true
  })
  const { responseBytesMax, timeoutMs, uid } = limits
  const held = upstream.send(toRequest(server, 'GET', writeListen(peer)), {
    responseBytesMax,
    uid,
    timeoutMs,
    redirectsMax: 0,
    signal: AbortSignal.any([limits.signal, over]),
    isHeld: true,
    onHeaders: () => begin(),
    onEvents: stream.take,
  })
  const finish = (answer: UpstreamAnswer | undefined) => {
    if (answer !== undefined && isRefusal(answer)) withoutStream.add(peer)
    clearTimeout(timer)
    begin()
  }
  // A call without its stream goes on: most servers ask on the stream of the call.
  held.then(finish, () => finish(undefined))
  return begun
}

const CONFLICT = 409

/** True for servers that have no such streams; a conflict is about another call's stream. */
function isRefusal(answer: UpstreamAnswer): boolean {
  if (answer.kind === 'refused_target') return true
  if (answer.kind !== 'answered') return false
  const { status } = answer.response
  return status >= 400 && status < 500 && status !== CONFLICT
}
