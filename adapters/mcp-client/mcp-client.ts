/**
 * The gateway as a client of MCP servers, of 2026-07-28 and of the revisions with a handshake back
 * to 2025-03-26. It sends over an `Upstream`, so addresses, redirects, connections and sizes are
 * guarded as for every skill.
 */
import { randomUUID } from 'node:crypto'
import type { McpServers } from '../../core/ports/mcp-servers.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import { keepPeers } from './kept-peers.ts'
import { makeMcpServers } from './mcp-servers.ts'
import { makeMcpUpstream } from './mcp-upstream.ts'

export type McpClientOptions = {
  /** Sends HTTP requests, signed ones too. */
  readonly upstream: Upstream
  /** The gateway's version, which servers see. */
  readonly version: string
  /** Epoch ms; default `Date.now`. */
  readonly nowMs?: () => number
}

export function makeMcpClient({ nowMs = Date.now, upstream, version }: McpClientOptions): {
  readonly servers: McpServers
  /** For requests with `mcp`. */
  readonly tools: Upstream
} {
  const mcp = {
    upstream,
    client: { name: 'skillgate', version },
    peers: keepPeers(nowMs),
    newId: () => randomUUID(),
  }
  return { servers: makeMcpServers(mcp), tools: makeMcpUpstream(mcp) }
}
