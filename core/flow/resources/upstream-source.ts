/**
 * Reads of resources and prompts of upstreams whose setting `resources` is on: each asks the server
 * with the reader's own credentials. Who sees them in a list may read them. Bound by
 * docs/upstreams.md and ADR 0127.
 */
import type { Principal } from '../../access/principal.ts'
import { ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { readUpstreamUri } from '../../json/upstream-uris.ts'
import type { Reading } from '../../mcp/revision.ts'
import type { McpReadings, McpUpstreams } from '../../ports/mcp-upstreams.ts'
import type { Ports } from '../../ports/ports.ts'
import type { McpUpstream } from '../../skills/upstreams/upstream.ts'
import { countUpstreamRead } from '../access/count-request.ts'
import type { PromptReader, Reader, ReadSource } from './resource-source.ts'
import { type AskedUri, readContents, readPromptResult } from './upstream-content.ts'
import { isServed, mayRead, toPromptName } from './upstream-lists.ts'

export type UpstreamSourceNeeds = Pick<Ports, 'clock' | 'digests' | 'rateCounters'> & {
  readonly mcpUpstreams: Pick<McpUpstreams, 'get' | 'held'>
  readonly mcpReadings: McpReadings
}

type Settings = { readonly prefix: string }

export function openUpstreamSource(ports: UpstreamSourceNeeds, settings: Settings): ReadSource {
  return {
    read: async (reader, uri) => {
      const place = readUpstreamUri(uri)
      const { principal } = reader
      if (place === undefined || principal === undefined) return undefined
      const upstream = await findReadable(ports, settings, reader, place.id)
      if (upstream === undefined) return undefined
      const asked = { upstreamId: place.id, uri, own: place.uri }
      return { kind: 'later', ask: () => readResource(ports, { upstream, principal }, asked) }
    },
  }
}

export function openUpstreamPrompts(ports: UpstreamSourceNeeds, settings: Settings): PromptReader {
  return {
    get: async (reader, { arguments: args, name }) => {
      const { principal } = reader
      const id = name.slice(0, Math.max(name.indexOf('_'), 0))
      if (id === '' || principal === undefined) return undefined
      const upstream = await findReadable(ports, settings, reader, id)
      const held = upstream && (await ports.mcpUpstreams.held(id))
      const prompt = held?.prompts.find((one) => toPromptName(ports, id, one) === name)
      if (upstream === undefined || prompt === undefined) return undefined
      const params = { name: prompt['name'] ?? '', arguments: args }
      return { kind: 'later', ask: () => getPrompt(ports, { upstream, principal }, params) }
    },
  }
}

/** Undefined for an upstream that is unknown, serves none, or may not be read: they look the same. */
async function findReadable(
  { mcpUpstreams }: UpstreamSourceNeeds,
  settings: Settings,
  reader: Reader,
  id: string,
): Promise<McpUpstream | undefined> {
  const upstream = await mcpUpstreams.get(id)
  if (upstream === undefined || !isServed(upstream)) return undefined
  return (await mayRead(settings, reader, upstream)) ? upstream : undefined
}

type Asker = { readonly upstream: McpUpstream; readonly principal: Principal }

async function readResource(
  ports: UpstreamSourceNeeds,
  { principal, upstream }: Asker,
  asked: AskedUri,
): Promise<Result<Reading>> {
  const counted = await countUpstreamRead(ports, principal)
  if (!counted.ok) return counted
  const params = { uri: asked.own }
  const order = { upstream, principal, method: 'resources/read', params } as const
  const answered = await ports.mcpReadings.read(order)
  if (!answered.ok) return answered
  const contents = readContents(answered.value, asked)
  // The server may change it at any time.
  return contents.ok ? ok({ members: { contents: [...contents.value] }, ttlMs: 0 }) : contents
}

async function getPrompt(
  ports: UpstreamSourceNeeds,
  { principal, upstream }: Asker,
  params: JsonObject,
): Promise<Result<Reading>> {
  const counted = await countUpstreamRead(ports, principal)
  if (!counted.ok) return counted
  const order = { upstream, principal, method: 'prompts/get', params } as const
  const answered = await ports.mcpReadings.read(order)
  if (!answered.ok) return answered
  const prompt = readPromptResult(answered.value, upstream.id)
  return prompt.ok ? ok({ ...prompt.value, ttlMs: undefined }) : prompt
}
