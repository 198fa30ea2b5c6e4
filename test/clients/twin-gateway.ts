/** The twin as a user starts it, with its own sample upstream. */
import { syncSkill } from '../e2e/admin.ts'
import { startFreshTwin } from '../e2e/fresh-twin.ts'
import { type Gateway, registerTools } from './gateway.ts'

/** High, since the limit is not under test. */
const CALLS_PER_MINUTE = '10000'

export async function startTwinGateway(): Promise<Gateway> {
  const twin = await startFreshTwin(['--calls-per-minute', CALLS_PER_MINUTE])
  const stop = async () => {
    await twin.stop()
  }
  try {
    const registered = await registerTools((skill) => syncSkill(twin, skill))
    return { sse: twin.sse, mcp: `${twin.url}/mcp`, key: twin.key, ...registered, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
