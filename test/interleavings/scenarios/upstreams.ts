/**
 * Refreshes and a removal of one MCP server at once: of those that read the same record, one alone
 * replaces it. Who replaced it writes offers of tools, a session that functions share, and the gateway's
 * registration, of which the first stands.
 */
import type { StorePorts } from '../../../core/ports/ports.ts'
import type { McpUpstream } from '../../../core/skills/upstreams/upstream.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, type Process, plan, quietly, report, type World } from '../world.ts'

const FIRST: McpUpstream = {
  id: 'files',
  settings: {
    url: 'https://mcp.example/mcp',
    prefix: 'files',
    source: 'official',
    credits: 0,
    prices: {},
    refresh_minutes: 60,
    pins: 'review',
    charge_tool_errors: false,
    resources: false,
  },
  status: {
    tools: 0,
    counts: { new: 0, changed: 0, flagged: 0, gone: 0, unusable: 0 },
    failures: 0,
  },
  version: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
  by: 'first',
}
const { id: ID } = FIRST
const SESSION_ID = 's'.padEnd(43, '-')

/** Each writer has a name of its own, so a record is known by its `by`. */
type State = {
  readonly replaced: Set<string>
  readonly clientIds: Set<string>
  isRemoved: boolean
  hasSession: boolean
}

export const upstreams: Scenario = {
  name: 'upstreams',
  async start(world) {
    const { random } = world
    await quietly(world, async ({ mcpUpstreams }) => {
      await mcpUpstreams.put(FIRST, 0)
    })
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const state: State = {
      replaced: new Set(),
      clientIds: new Set(),
      isRemoved: false,
      hasSession: false,
    }
    for (let writers = 2 + random.below(4); writers > 0; writers -= 1) {
      const by = `writer-${writers}`
      plan(world, 'a server is refreshed', (process) => refresh(world, process, state, by))
    }
    if (random.below(2) === 0) {
      plan(world, 'a server is removed', (process) => remove(world, process, state))
    }
    return () => quietly(world, (ports) => checkEnd(world, ports, state))
  },
}

async function refresh(
  world: World,
  { clock, ports }: Process,
  state: State,
  by: string,
): Promise<void> {
  const { mcpUpstreams, upstreamSessions } = ports
  const seen = await mcpUpstreams.get(ID)
  if (seen === undefined) return
  const next = { ...seen, version: seen.version + 1, by }
  if (!(await mcpUpstreams.put(next, seen.version))) return
  noteReplaced(world, state, seen)
  const seenAtMs = clock.nowMs()
  const offer = { state: 'new', digest: 'd', entry: { name: by }, seenAtMs, faults: [] } as const
  await mcpUpstreams.putOffer(ID, { tool: by, ...offer })
  await mcpUpstreams.dropOffer(ID, seen.by)
  const sealed = Buffer.from(by)
  await upstreamSessions.put({ id: SESSION_ID, sealed, expiresAtMs: Number.MAX_SAFE_INTEGER })
  state.hasSession = true
  await mcpUpstreams.putHeld(ID, { resources: [], resourceTemplates: [], prompts: [], left: 0 })
  const made = { clientId: by, expiresAtMs: Number.MAX_SAFE_INTEGER }
  state.clientIds.add(await ports.oauthRegistrations.add('server', made, clock.nowMs()))
}

async function remove(world: World, { ports }: Process, state: State): Promise<void> {
  const seen = await ports.mcpUpstreams.get(ID)
  if (seen === undefined || !(await ports.mcpUpstreams.remove(ID, seen.version))) return
  state.isRemoved = true
  noteReplaced(world, state, seen)
  await ports.mcpUpstreams.dropHeld(ID)
}

function noteReplaced(world: World, { replaced }: State, { by }: McpUpstream): void {
  if (replaced.has(by)) report(world, 'two writers replaced one record')
  replaced.add(by)
}

async function checkEnd(world: World, ports: StorePorts, state: State): Promise<void> {
  const stored = await ports.mcpUpstreams.get(ID)
  if (state.isRemoved && stored !== undefined) report(world, 'a removed record is back')
  if (stored !== undefined && state.replaced.has(stored.by)) {
    report(world, 'a replaced record is back')
  }
  for (const { entry, tool } of await ports.mcpUpstreams.offers(ID)) {
    if (entry['name'] !== tool) report(world, 'an offer is mixed of two')
  }
  if (state.clientIds.size > 1) report(world, 'two registrations at one server stand')
  const session = await ports.upstreamSessions.read(SESSION_ID, 0)
  if (state.hasSession && session === undefined) report(world, 'a session is lost')
}
