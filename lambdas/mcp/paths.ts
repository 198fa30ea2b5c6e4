/**
 * Where Streamable HTTP is served: both spellings, since a client that follows a redirect loses its
 * key.
 */

export const MCP_PATH = '/mcp'

const PATHS: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])

export function isMcpPath(path: string): boolean {
  return PATHS.has(path)
}
