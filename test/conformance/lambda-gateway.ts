/**
 * The gateway as deployed, for `--runtime lambda`: the bundled doors under AWS's runtime client,
 * with the fixtures registered over the REST API of the admin door.
 */
import { askAdmin, newUser } from '../lambda/doors/people.ts'
import { SECRETS, startWorld } from '../lambda/doors/world.ts'
import type { Gateway, GatewaySettings } from './gateway.ts'
import { GUIDE, GUIDE_ID } from './guide.ts'
import { MCP_UPSTREAM_ID, mcpUpstreamSettings, startMcpUpstream } from './mcp-upstream.ts'
import { startUpstream } from './upstream.ts'

/** High, since the suite does not test the limit. */
const MANY_CALLS = 'free:10000'

export async function startLambdaGateway(settings: GatewaySettings): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  let refresh = () => Promise.resolve()
  const upstream = await startUpstream({ refreshTools: () => refresh() })
  opened.defer(() => upstream.stop())
  const mcpUpstream = await startMcpUpstream()
  opened.defer(() => mcpUpstream.stop())
  const world = await startWorld({
    env: {
      SKILLGATE_PREFIX: settings.prefix,
      OUTBOUND_ALLOW: `${upstream.host},${mcpUpstream.host}`,
      TIER_LIMITS: MANY_CALLS,
    },
  })
  opened.defer(() => world.stop())
  refresh = async () => {
    const secret = { authorization: `Bearer ${SECRETS.INTERNAL_API_SECRET}` }
    const answer = await askAdmin(world, 'POST', 'refresh-tools', { headers: secret })
    if (answer.status !== 200) throw new Error(`refresh-tools: ${JSON.stringify(answer)}`)
  }
  const user = await newUser(world, 'conformance', 100)
  for (const skill of settings.skills(upstream.url)) {
    const synced = await askAdmin(world, 'POST', 'sync_skill', {
      body: { ...skill, source: 'official' },
    })
    if (synced.status !== 201) throw new Error(`sync_skill: ${JSON.stringify(synced)}`)
  }
  const guide = await askAdmin(world, 'PUT', `guides/${GUIDE_ID}`, { body: GUIDE })
  if (guide.status !== 200) throw new Error(`guide: ${JSON.stringify(guide)}`)
  const own = mcpUpstreamSettings(mcpUpstream.url)
  const path = `upstreams/${MCP_UPSTREAM_ID}`
  const plan = await askAdmin(world, 'POST', `${path}:plan`, { body: own })
  const applied = await askAdmin(world, 'PUT', path, {
    body: { ...own, digest: plan.body['digest'] },
  })
  if (applied.status !== 200) throw new Error(`upstream: ${JSON.stringify([plan, applied])}`)
  const stack = opened.move()
  return { url: world.mcpUrl.url, key: user.key, stop: () => stack.disposeAsync() }
}
