/**
 * Paths of Streamable HTTP: with and without a slash, because a client that follows a redirect
 * drops its key.
 */

export const MCP_PATH = '/mcp'

const PATHS: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])

export function isMcpPath(path: string): boolean {
  return PATHS.has(path)
}
