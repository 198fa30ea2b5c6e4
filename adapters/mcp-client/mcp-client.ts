/**
 * The gateway as a client of MCP servers, of 2026-07-28 and of the revisions with a handshake back
 * to 2025-03-26. It sends over an `Upstream`, so addresses, redirects, connections and sizes are
 * guarded as for every skill.
 */
import { randomUUID } from 'node:crypto'
import type { McpServers } from '../../core/ports/mcp-servers.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'
import { keepPeers, type SharedSessions } from './kept-peers.ts'
import { makeMcpServers } from './mcp-servers.ts'
import { makeMcpUpstream } from './mcp-upstream.ts'
import type { Peer } from './peer.ts'

export type McpClientOptions = {
  /** Sends HTTP requests, signed ones too. */
  readonly upstream: Upstream
  /** The gateway's version, which servers see. */
  readonly version: string
  readonly clock: Pick<Clock, 'nowMs'>
} & Partial<SharedSessions>

export function makeMcpClient({
  clock,
  digests,
  seals,
  sessions,
  upstream,
  version,
}: McpClientOptions): {
  readonly servers: McpServers
  /** For requests with `mcp`. */
  readonly tools: Upstream
} {
  const mcp = {
    upstream,
    client: { name: 'skillgate', version },
    peers: keepPeers(
      clock,
      sessions === undefined || digests === undefined || seals === undefined
        ? undefined
        : { digests, seals, sessions },
    ),
    withoutStream: new WeakSet<Peer>(),
    newId: () => randomUUID(),
  }
  return { servers: makeMcpServers(mcp), tools: makeMcpUpstream(mcp) }
}
