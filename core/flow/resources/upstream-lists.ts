/**
 * Lists of resources, templates and prompts of upstreams whose setting `resources` is on: those of
 * the last refresh, so no server is asked. A reader sees what an upstream holds exactly if one of
 * its tools may be called. Bound by docs/upstreams.md and ADR 0127.
 */
import type { JsonObject } from '../../json/json.ts'
import { toUpstreamUri } from '../../json/upstream-uris.ts'
import type { McpUpstreams } from '../../ports/mcp-upstreams.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HeldKind } from '../../skills/upstreams/held.ts'
import { toNameStart, toUpstreamToolName } from '../../skills/upstreams/tool-names.ts'
import type { HeldCounts, McpUpstream } from '../../skills/upstreams/upstream.ts'
import { isVisible } from '../../skills/visible.ts'
import type { ListSource, Reader, SourcePage } from './resource-source.ts'

export type UpstreamListNeeds = Pick<Ports, 'digests'> & {
  readonly mcpUpstreams: Pick<McpUpstreams, 'held' | 'list'>
}

type Settings = { readonly prefix: string }

/** Entries of one page. */
export const HELD_PAGE_SIZE = 100
/** Upstreams whose entries one page reads: each is an item of up to 300 kB. */
export const HELD_READS_MAX = 3

const NAME = 'upstreams'

export function listUpstreamResources(ports: UpstreamListNeeds, settings: Settings): ListSource {
  return {
    name: NAME,
    list: (reader, { after }) =>
      listHeld(ports, settings, reader, { after, kind: 'resources', toEntry: toResource }),
  }
}

export function listUpstreamTemplates(ports: UpstreamListNeeds, settings: Settings): ListSource {
  return {
    name: NAME,
    list: (reader, { after }) =>
      listHeld(ports, settings, reader, { after, kind: 'resourceTemplates', toEntry: toTemplate }),
  }
}

/** `{upstream}_{prompt}`: an id of an upstream has no `_`, and neither has one of a guide. */
export function listUpstreamPrompts(ports: UpstreamListNeeds, settings: Settings): ListSource {
  return {
    name: NAME,
    list: (reader, { after }) => {
      const toEntry = (id: string, entry: JsonObject) => ({
        ...entry,
        name: toPromptName(ports, id, entry),
      })
      return listHeld(ports, settings, reader, { after, kind: 'prompts', toEntry })
    },
  }
}

export function toPromptName(
  { digests }: Pick<Ports, 'digests'>,
  id: string,
  { name }: JsonObject,
): string {
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
  ports: UpstreamListNeeds,
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
  { mcpUpstreams }: UpstreamListNeeds,
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
  { mcpUpstreams }: UpstreamListNeeds,
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

export function isServed({ isDeleting, settings, status }: McpUpstream): boolean {
  return settings.resources && isDeleting !== true && status.listedAtMs !== undefined
}

/** A key with a scope must name a tool, so it reads nothing of a server without tools. */
export async function mayRead(
  { prefix }: Settings,
  reader: Reader,
  { settings, status }: McpUpstream,
): Promise<boolean> {
  if (!isVisible(settings.groups, reader.groups)) return false
  if (status.tools === 0) return reader.principal?.scope === undefined
  const start = toNameStart(prefix, settings.prefix)
  return (await reader.tools()).some(({ name }) => name.startsWith(start))
}
