/**
 * Ports of MCP servers as upstreams. This file is a chunk of its own in the bundle, loaded with the
 * first call of such a server.
 */
import { makeMcpClient } from '../../adapters/mcp-client/mcp-client.ts'
import type { Upstream } from '../../core/ports/outside.ts'

type Needs = {
  /** Sends HTTP requests. */
  readonly upstream: Upstream
  readonly version: string
}

export function createMcpPorts({ upstream, version }: Needs) {
  const { servers, tools } = makeMcpClient({ upstream, version })
  return { mcpServers: servers, mcpTools: tools }
}
