/** Starts what is attacked: a twin in a fresh folder, or the bundled doors under AWS's runtime client. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTwin } from '../e2e/twin.ts'
import type { Gateway } from './target.ts'

/** High, since the attacks are many and this limit has tests of its own. */
const CALLS_PER_MINUTE = 10_000

export async function startTwinGateway(outboundAllow: string): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-attack-'))
  const removed = () => rmSync(folder, { recursive: true, force: true })
  try {
    const twin = await startTwin([
      '--data',
      folder,
      '--outbound-allow',
      outboundAllow,
      '--calls-per-minute',
      String(CALLS_PER_MINUTE),
    ])
    const { admin, execute, internalApiSecret, mcp, pid, sse } = twin
    const stop = async () => {
      await twin.stop()
      removed()
    }
    return { runtime: 'twin', sse, mcp, execute, admin, internalApiSecret, pid, stop }
  } catch (cause) {
    removed()
    throw cause
  }
}

export async function startLambdaGateway(outboundAllow: string): Promise<Gateway> {
  const { SECRETS, startWorld } = await import('../lambda/doors/world.ts')
  const world = await startWorld({
    env: { OUTBOUND_ALLOW: outboundAllow, TIER_LIMITS: `free:${CALLS_PER_MINUTE}` },
    sse: { concurrencyMax: 40 },
  })
  return {
    runtime: 'lambda',
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: `${world.adminApi.url}/v1/admin`,
    internalApiSecret: SECRETS.INTERNAL_API_SECRET,
    pid: undefined,
    stop: () => world.stop(),
  }
}
