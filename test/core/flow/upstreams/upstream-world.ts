/** A world with real HTTP to MCP servers on 127.0.0.1, and the admin routes of upstreams over it. */
import { afterEach } from 'vitest'
import { upstreamByTarget } from '../../../../adapters/upstream/by-target.ts'
import { httpUpstream } from '../../../../adapters/upstream/http-upstream.ts'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import type { Upstream } from '../../../../core/ports/outside.ts'
import { createMcpPorts } from '../../../../lambdas/call/mcp-ports.ts'
import { createExecuteDoor } from '../../../../lambdas/execute/door.ts'
import { type AdminReply, askAdmin } from '../../../lambdas/admin/admin-client.ts'
import { ask } from '../../../lambdas/door-client.ts'
import { makeWorld, SETTINGS, type World } from '../world.ts'
import { startToolServer, type ToolServer } from './tool-server.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

export type UpstreamWorld = World & { readonly server: ToolServer }

/** What sends the requests of a world, other than plain HTTP. */
export type Senders = {
  readonly http?: (direct: Upstream) => Upstream
  readonly signed?: (http: Upstream, world: World) => Upstream
}

/** A world with one server that lists these tools. */
export async function makeUpstreamWorld(
  tools: readonly JsonObject[],
  senders: Senders = {},
): Promise<UpstreamWorld> {
  const server = await startToolServer(tools)
  const settings = { ...SETTINGS, outboundAllow: ['127.0.0.1'] }
  const world = makeWorld(settings)
  const direct = httpUpstream({ outboundAllow: settings.outboundAllow })
  const http = senders.http?.(direct) ?? direct
  const signed = senders.signed?.(http, world)
  const plain = { http, ...(signed === undefined ? {} : { signed }) }
  const { mcpServers, mcpTools } = createMcpPorts(
    { clock: world.clock, upstream: upstreamByTarget(plain) },
    settings,
  )
  const upstream = upstreamByTarget({ ...plain, mcp: mcpTools })
  Object.assign(world.ports, { upstream, mcpServers })
  closers.push(server.close, () => direct.close())
  return { ...world, server }
}

/** Plans and applies in one go. */
export async function register(
  world: UpstreamWorld,
  more: JsonObject = {},
  id = 'files',
): Promise<AdminReply> {
  const settings = { url: world.server.url, prefix: 'files', ...more }
  const plan = await askAdmin(world, 'POST', `/upstreams/${id}:plan`, { body: settings })
  if (plan.status !== 200) return plan
  const body = { ...settings, digest: plan.json['digest'] ?? '' }
  return askAdmin(world, 'PUT', `/upstreams/${id}`, { body })
}

export function refresh(world: UpstreamWorld, id = 'files'): Promise<AdminReply> {
  return askAdmin(world, 'POST', `/upstreams/${id}:refresh`)
}

export async function show(world: UpstreamWorld, query = ''): Promise<JsonObject> {
  return (await askAdmin(world, 'GET', '/upstreams/files', { query })).json
}

/** Approves each tool by the digest that is shown. */
export async function approve(world: UpstreamWorld, tools: readonly string[]): Promise<AdminReply> {
  const shown = listTools(await show(world))
  const body = {
    tools: tools.map((tool) => ({
      tool,
      digest: shown.find((one) => one['tool'] === tool)?.['digest'] ?? '',
    })),
  }
  return askAdmin(world, 'POST', '/upstreams/files:approve', { body })
}

export function listTools({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.map((one: Json) => one as JsonObject) : []
}

/** Names that agents see, without the built-in tools. */
export async function listedNames({ ports }: World): Promise<readonly string[]> {
  return ((await ports.toolsCache.read())?.tools ?? []).map(({ name }) => name)
}

/** One call over the execute door; `key` is an Authorization header. */
export async function call(world: World, key: string, skill: string): Promise<AnsweredCall> {
  const out = await ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
    headers: { authorization: key },
    body: JSON.stringify({ skill, arguments: { text: 'x' } }),
  })
  return { status: out.status, body: out.json() as JsonObject }
}

type AnsweredCall = { readonly status: number; readonly body: JsonObject }
