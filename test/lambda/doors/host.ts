/** A world of functions as the suite that every host passes sees it. */
import type { GatewayHost } from '../../hosts/gateway-host.ts'
import { SECRETS, type World } from './world.ts'

/** `stop` does nothing: the caller first looks at what the world has recorded, and then stops it. */
export function hostOf(world: World): GatewayHost {
  return {
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: `${world.adminApi.url}/v1/admin`,
    internalApiSecret: SECRETS.INTERNAL_API_SECRET,
    upstream: world.upstream,
    stop: async () => {},
  }
}
