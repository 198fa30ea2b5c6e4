/**
 * The paths of Streamable HTTP, with and without a slash at the end, because a client that follows
 * a redirect drops its key; and the paths of the public list of tools.
 */

export const MCP_PATH = '/mcp'

const MCP_PATHS: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])

const CATALOG_PATHS: ReadonlySet<string> = new Set(['/catalog', '/v1/catalog'])

export function isCatalogPath(path: string): boolean {
  return CATALOG_PATHS.has(path)
}

export function isMcpPath(path: string): boolean {
  return MCP_PATHS.has(path)
}
