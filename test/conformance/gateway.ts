/** The gateway under the official suite, with the fixtures registered: here the twin. */
import { pushJson } from '../e2e/admin.ts'
import { startFreshTwin } from '../e2e/fresh-twin.ts'
import { bearer, send } from '../e2e/http.ts'
import type { Twin } from '../e2e/twin.ts'
import { fixtureSkills } from './fixtures.ts'
import { GUIDE, GUIDE_ID } from './guide.ts'
import { MCP_UPSTREAM_ID, mcpUpstreamSettings, startMcpUpstream } from './mcp-upstream.ts'
import { startUpstream } from './upstream.ts'

export type Gateway = {
  /** The origin of `/mcp`. */
  readonly url: string
  readonly key: string
  stop(): Promise<void>
}

export type GatewaySettings = {
  /** The prefix of its tools' names. */
  readonly prefix: string
  /** The definitions to register, for the upstream at that origin. */
  readonly skills: (upstreamUrl: string) => readonly object[]
}

export const FIXTURES: GatewaySettings = { prefix: 'test', skills: fixtureSkills }

/** High: the suite calls a few hundred tools a minute, and does not test the limit. */
const CALLS_PER_MINUTE = '10000'

export async function startTwinGateway(settings: GatewaySettings): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  // The upstream gets the address of the twin's admin API later: the twin must know its port first.
  let admin: Pick<Twin, 'admin' | 'internalApiSecret'> | undefined
  const upstream = await startUpstream({
    refreshTools: async () => {
      if (admin !== undefined) await refreshTools(admin)
    },
  })
  opened.defer(() => upstream.stop())
  const mcpUpstream = await startMcpUpstream()
  opened.defer(() => mcpUpstream.stop())
  const twin = await startFreshTwin([
    '--prefix',
    settings.prefix,
    '--outbound-allow',
    `${upstream.host},${mcpUpstream.host}`,
    '--calls-per-minute',
    CALLS_PER_MINUTE,
  ])
  opened.defer(async () => {
    await twin.stop()
  })
  admin = twin
  for (const skill of settings.skills(upstream.url)) await pushJson(twin, skill)
  await pushGuide(twin)
  await registerUpstream(twin, mcpUpstream.url)
  const stack = opened.move()
  return { url: twin.url, key: twin.key, stop: () => stack.disposeAsync() }
}

export async function refreshTools(twin: Pick<Twin, 'admin' | 'internalApiSecret'>): Promise<void> {
  const url = `${twin.admin}/refresh-tools`
  const answer = await send(url, { method: 'POST', headers: bearer(twin.internalApiSecret) })
  if (answer.status !== 200) throw new Error(`refresh-tools: ${answer.status} ${answer.text}`)
}

async function registerUpstream(
  twin: Pick<Twin, 'admin' | 'internalApiSecret'>,
  origin: string,
): Promise<void> {
  const settings = mcpUpstreamSettings(origin)
  const headers = { ...bearer(twin.internalApiSecret), 'content-type': 'application/json' }
  const url = `${twin.admin}/upstreams/${MCP_UPSTREAM_ID}`
  const plan = await send(`${url}:plan`, {
    method: 'POST',
    headers,
    body: JSON.stringify(settings),
  })
  if (plan.status !== 200) throw new Error(`plan of upstream: ${plan.status} ${plan.text}`)
  const { digest } = JSON.parse(plan.text)
  const body = JSON.stringify({ ...settings, digest })
  const answer = await send(url, { method: 'PUT', headers, body })
  if (answer.status !== 200) throw new Error(`upstream: ${answer.status} ${answer.text}`)
}

async function pushGuide(twin: Pick<Twin, 'admin' | 'internalApiSecret'>): Promise<void> {
  const answer = await send(`${twin.admin}/guides/${GUIDE_ID}`, {
    method: 'PUT',
    headers: { ...bearer(twin.internalApiSecret), 'content-type': 'application/json' },
    body: JSON.stringify(GUIDE),
  })
  if (answer.status !== 200) throw new Error(`guide: ${answer.status} ${answer.text}`)
}
