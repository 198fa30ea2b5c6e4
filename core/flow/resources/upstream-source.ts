/**
 * Resources, templates and prompts of upstreams whose setting `resources` is on. Lists are those of
 * the last refresh; a read asks the server with the reader's own credentials. A reader sees what an
 * upstream holds exactly if one of its tools may be called. Bound by docs/upstreams.md and ADR 0127.
 */
import type { Principal } from '../../access/principal.ts'
import { ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { readUpstreamUri, toUpstreamUri } from '../../json/upstream-uris.ts'
import type { Reading } from '../../mcp/revision.ts'
import type { McpReadings, McpUpstreams } from '../../ports/mcp-upstreams.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HeldKind } from '../../skills/upstreams/held.ts'
import { toNameStart, toUpstreamToolName } from '../../skills/upstreams/tool-names.ts'
import type { HeldCounts, McpUpstream } from '../../skills/upstreams/upstream.ts'
import { isVisible } from '../../skills/visible.ts'
import { countUpstreamRead } from '../access/count-request.ts'
import type { ListSource, PromptSource, Reader, ReadSource, SourcePage } from './resource-source.ts'
import { type AskedUri, readContents, readPromptResult } from './upstream-content.ts'

export type UpstreamSourceNeeds = Pick<Ports, 'clock' | 'digests' | 'rateCounters'> & {
  readonly mcpUpstreams: Pick<McpUpstreams, 'get' | 'held' | 'list'>
  readonly mcpReadings: McpReadings
}

type Settings = { readonly prefix: string }

/** Entries of one page. */
export const HELD_PAGE_SIZE = 100
/** Upstreams whose entries one page reads: each is an item of up to 300 kB. */
export const HELD_READS_MAX = 3

const NAME = 'upstreams'

export function openUpstreamSource(
  ports: UpstreamSourceNeeds,
  settings: Settings,
): ListSource & ReadSource {
  return {
    name: NAME,
    list: (reader, { after }) =>
      listHeld(ports, settings, reader, { after, kind: 'resources', toEntry: toResource }),
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

export function openUpstreamTemplates(ports: UpstreamSourceNeeds, settings: Settings): ListSource {
  return {
    name: NAME,
    list: (reader, { after }) =>
      listHeld(ports, settings, reader, { after, kind: 'resourceTemplates', toEntry: toTemplate }),
  }
}

/** `{upstream}_{prompt}`: an id of an upstream has no `_`, and neither has one of a guide. */
export function openUpstreamPrompts(ports: UpstreamSourceNeeds, settings: Settings): PromptSource {
  return {
    name: NAME,
    list: (reader, { after }) => {
      const toEntry = (id: string, entry: JsonObject) => ({
        ...entry,
        name: toPromptName(ports, id, entry),
      })
      return listHeld(ports, settings, reader, { after, kind: 'prompts', toEntry })
    },
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

function toPromptName({ digests }: UpstreamSourceNeeds, id: string, { name }: JsonObject): string {
  return toUpstreamToolName(`${id}_`, String(name), (text) => digests.sha256(text))
}

function toResource(id: string, entry: JsonObject): JsonObject | undefined {
  const uri = toUpstreamUri(id, String(entry['uri']))
  return uri === undefined ? undefined : { ...entry, uri }
}

function toTemplate(id: string, entry: JsonObject): JsonObject | undefined {
  const uriTemplate = toUpstreamUri(id, String(entry['uriTemplate']))
  return uriTemplate === undefined ? undefined : { ...entry, uriTemplate }
}

type Listing = {
  readonly after: string | undefined
  readonly kind: HeldKind
  readonly toEntry: (id: string, entry: JsonObject) => JsonObject | undefined
}

/** A place is `{upstream}.{entries of it that earlier pages had}`. */
async function listHeld(
  ports: UpstreamSourceNeeds,
  settings: Settings,
  reader: Reader,
  { after, kind, toEntry }: Listing,
): Promise<SourcePage> {
  const from = readPlace(after)
  const readable = await listReadable(ports, settings, reader)
  const left = readable.filter(({ id, status }) => id >= from.id && holds(status.held, kind))
  const entries: JsonObject[] = []
  for (const [reads, { id }] of left.entries()) {
    if (reads >= HELD_READS_MAX || entries.length >= HELD_PAGE_SIZE)
      return { entries, next: `${id}.0` }
    const all = await readEntries(ports, id, kind)
    const begin = id === from.id ? from.at : 0
    const end = begin + HELD_PAGE_SIZE - entries.length
    const shown = all.slice(begin, end).map((one) => toEntry(id, one))
    entries.push(...shown.filter((one) => one !== undefined))
    if (end < all.length) return { entries, next: `${id}.${end}` }
  }
  return { entries, next: undefined }
}

async function readEntries(
  { mcpUpstreams }: UpstreamSourceNeeds,
  id: string,
  kind: HeldKind,
): Promise<readonly JsonObject[]> {
  const held = await mcpUpstreams.held(id)
  return held === undefined ? [] : held[kind]
}

function holds(counts: HeldCounts | undefined, kind: HeldKind): boolean {
  if (counts === undefined) return false
  const { prompts, resource_templates: templates, resources } = counts
  return { prompts, resources, resourceTemplates: templates }[kind] > 0
}

function readPlace(after: string | undefined): { readonly id: string; readonly at: number } {
  const [, id = '', at = '0'] = /^([a-z0-9-]+)\.(\d{1,4})$/.exec(after ?? '') ?? []
  return { id, at: Number(at) }
}

async function listReadable(
  { mcpUpstreams }: UpstreamSourceNeeds,
  settings: Settings,
  reader: Reader,
): Promise<readonly McpUpstream[]> {
  if (reader.principal === undefined) return []
  const all = (await mcpUpstreams.list()).filter(isServed)
  const readable: McpUpstream[] = []
  for (const upstream of all) {
    if (await mayRead(settings, reader, upstream)) readable.push(upstream)
  }
  return readable
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

function isServed({ isDeleting, settings, status }: McpUpstream): boolean {
  return settings.resources && isDeleting !== true && status.listedAtMs !== undefined
}

/** A key with a scope must name a tool, so it reads nothing of a server without tools. */
async function mayRead(
  { prefix }: Settings,
  reader: Reader,
  { settings, status }: McpUpstream,
): Promise<boolean> {
  if (!isVisible(settings.groups, reader.groups)) return false
  if (status.tools === 0) return reader.principal?.scope === undefined
  const start = toNameStart(prefix, settings.prefix)
  return (await reader.tools()).some(({ name }) => name.startsWith(start))
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
