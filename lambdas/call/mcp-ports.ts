/**
 * Ports of MCP servers as upstreams. This file is a chunk of its own in the bundle, loaded with the
 * first call of such a server.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { makeMcpClient } from '../../adapters/mcp-client/mcp-client.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'
import type { UpstreamSessions } from '../../core/ports/upstream-sessions.ts'

type Needs = {
  readonly clock: Pick<Clock, 'nowMs'>
  /** Shares sessions between processes; undefined where each has its own. */
  readonly sessions?: UpstreamSessions
  /** Sends HTTP requests. */
  readonly upstream: Upstream
  readonly version: string
}

export function createMcpPorts({ clock, sessions, upstream, version }: Needs) {
  const shared =
    sessions === undefined ? {} : { sessions, digests: nodeDigests(), seals: nodeSeals() }
  const { servers, tools } = makeMcpClient({ clock, upstream, version, ...shared })
  return { mcpServers: servers, mcpTools: tools }
}
