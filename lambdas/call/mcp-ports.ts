/**
 * Ports of MCP servers as upstreams. This file is a chunk of its own in the bundle, loaded with the
 * first call of such a server.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { makeMcpClient } from '../../adapters/mcp-client/mcp-client.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { UpstreamSessions } from '../../core/ports/upstream-sessions.ts'
import type { Settings } from '../../core/settings.ts'

type Needs = Pick<Ports, 'clock' | 'upstream'> & Partial<Pick<Ports, 'upstreamSessions'>>

/**
 * `upstream` sends HTTP requests. Processes share sessions through `upstreamSessions`; without it,
 * each has its own.
 */
export function createMcpPorts(
  { clock, upstream, upstreamSessions: shares }: Needs,
  { version }: Pick<Settings, 'version'>,
) {
  const sessions: UpstreamSessions | undefined = shares && {
    put: (session) => shares.put(session),
    read: (id, nowMs) => shares.read(id, nowMs),
  }
  const shared =
    sessions === undefined ? {} : { sessions, digests: nodeDigests(), seals: nodeSeals() }
  const { servers, tools } = makeMcpClient({ clock, upstream, version, ...shared })
  return { mcpServers: servers, mcpTools: tools }
}
