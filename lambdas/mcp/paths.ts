/** Where Streamable HTTP is served: both spellings, since a redirect loses the key (trap 9). */

export const MCP_PATH = '/mcp'

const PATHS: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])

export function isMcpPath(path: string): boolean {
  return PATHS.has(path)
}
