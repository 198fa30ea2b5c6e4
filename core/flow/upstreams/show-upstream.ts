/**
 * Upstreams as administrators read them: settings and state, the tools with what waits, and plans.
 * Texts of a server are shown with their hidden characters as escapes.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { writeCanonical } from '../../json/canonical-text.ts'
import { escapeHiddenTexts } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { isHeldTool } from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { makeToolDefinition, readUpstreamMark } from '../../skills/upstreams/tool-definition.ts'
import type { McpUpstream, OfferedTool } from '../../skills/upstreams/upstream.ts'
import { countListBytes, type PlannedSkill, toTokens } from '../imports/planned-skill.ts'
import { readStoredImport, type StoredSkillNeeds } from '../imports/stored-imports.ts'
import { toUpstreamPlace } from './apply-tools.ts'
import { isStale } from './refresh-upstream.ts'
import type { UpstreamPlan } from './register-upstream.ts'

type Needs = StoredSkillNeeds & {
  readonly mcpUpstreams: Pick<Ports['mcpUpstreams'], 'get' | 'list' | 'offers'>
}

export function toUpstreamView(upstream: McpUpstream) {
  const { by, createdAtMs, id, nextRefreshAtMs, settings, status, updatedAtMs } = upstream
  return escapeHiddenTexts({
    id,
    state: toUpstreamState(upstream),
    settings: settings as unknown as JsonObject,
    ...status,
    counts: { ...status.counts },
    createdAtMs,
    updatedAtMs,
    by,
    ...(nextRefreshAtMs === undefined ? {} : { nextRefreshAtMs }),
  } as unknown as JsonObject)
}

/** `stale`: the last refreshes got no list. */
export function toUpstreamState(
  upstream: Pick<McpUpstream, 'isDeleting' | 'status'>,
): 'deleting' | 'ok' | 'stale' {
  if (upstream.isDeleting === true) return 'deleting'
  return isStale(upstream) ? 'stale' : 'ok'
}

/** All, by id. */
export async function listUpstreams({ mcpUpstreams }: Pick<Needs, 'mcpUpstreams'>) {
  return { upstreams: (await mcpUpstreams.list()).map(toUpstreamView) }
}

/** With `tool`, both definitions of that tool in full. Refuses with `not_found`. */
export async function showUpstream(
  ports: Needs,
  settings: Settings,
  id: string,
  tool: string | undefined,
): Promise<Result<JsonObject>> {
  const upstream = await ports.mcpUpstreams.get(id)
  if (upstream === undefined)
    return refuse('not_found', `upstreamId: there is no upstream ${id}.`, {
      remedy: { code: 'list_upstreams' },
    })
  const [offers, stored] = await Promise.all([
    ports.mcpUpstreams.offers(id),
    readStoredImport(ports, toUpstreamPlace(settings, upstream.settings)),
  ])
  const skills = new Map(
    [...stored.values()].flatMap((record): [string, SkillRecord][] => {
      const mark = readUpstreamMark(record.definition)
      return mark?.upstream === id ? [[mark.tool, record]] : []
    }),
  )
  const waiting = new Map(offers.map((one) => [one.tool, one]))
  const all = [...new Set([...skills.keys(), ...waiting.keys()])].sort()
  const names = tool === undefined ? all : all.filter((name) => name === tool)
  if (tool !== undefined && names.length === 0)
    return refuse('not_found', `tool: ${id} has no tool of that name here.`)
  const tools = names.map((name) => {
    const pair = { upstream, tool: name, record: skills.get(name), offer: waiting.get(name) }
    return tool === undefined ? toToolLine(pair) : { ...toToolLine(pair), ...toDefinitions(pair) }
  })
  return ok({ ...toUpstreamView(upstream), tools: escapeHiddenTexts(tools) })
}

type ToolPair = {
  readonly upstream: McpUpstream
  readonly tool: string
  /** The approved definition. */
  readonly record: SkillRecord | undefined
  /** What waits. */
  readonly offer: OfferedTool | undefined
}

function toToolLine({ offer, record, tool, upstream }: ToolPair): JsonObject {
  const definition = record?.definition
  const pin = definition === undefined ? undefined : readUpstreamMark(definition)?.pin
  const fields = { upstream, tool, record, offer }
  return {
    tool,
    state: offer?.state ?? 'approved',
    ...(record === undefined
      ? {}
      : { skillId: record.skillId, skillState: toText(definition?.['state']) ?? 'listed' }),
    ...(definition !== undefined && isHeldTool(definition) ? { isHeld: true } : {}),
    ...(pin === undefined ? {} : { pin }),
    ...(offer === undefined
      ? {}
      : {
          digest: offer.digest,
          seenAtMs: offer.seenAtMs,
          faults: [...offer.faults],
          fields: listChangedFields(fields),
        }),
  }
}

function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Names of the fields in which the offered definition differs from the approved one. */
function listChangedFields(pair: ToolPair): string[] {
  const { approved, offered } = toDefinitions(pair)
  if (approved === undefined || offered === undefined) return []
  const names = [...new Set([...Object.keys(approved), ...Object.keys(offered)])].sort()
  return names.filter(
    (name) => writeCanonical(approved[name] ?? null) !== writeCanonical(offered[name] ?? null),
  )
}

type Definitions = { readonly approved?: JsonObject; readonly offered?: JsonObject }

/** Both as `meta` of a skill. An edit of the approved one by hand shows as a difference, too. */
function toDefinitions({ offer, record, tool, upstream }: ToolPair): Definitions {
  const approved = record?.definition['meta']
  const hasEntry = offer !== undefined && offer.digest !== ''
  const made = hasEntry
    ? makeToolDefinition({
        upstreamId: upstream.id,
        skillId: record?.skillId ?? '',
        settings: upstream.settings,
        entry: { ...offer.entry, name: tool },
      })
    : undefined
  return {
    ...(isJsonObject(approved) ? { approved } : {}),
    ...(isJsonObject(made?.['meta']) ? { offered: made['meta'] } : {}),
  }
}

/** What an apply would change, tool by tool. */
export function toUpstreamPlanView(settings: Settings, plan: UpstreamPlan): JsonObject {
  const { digest, isFirst, listed, plan: tools } = plan
  const { judged, listing } = listed
  const skills = new Map(tools.skills.map((one) => [one.madeOf, one]))
  const offers = new Map(tools.offers.map((one) => [one.tool, one]))
  const lines = judged.tools.map(({ digest: pin, skillId, tool }) => {
    const skill = skills.get(tool)
    return {
      tool,
      skillId,
      digest: pin,
      does: toDoes(skill, offers.get(tool)),
      waits: offers.has(tool),
      faults: [...(offers.get(tool)?.faults ?? [])],
      notes: [...(skill?.notes ?? [])],
      ...(skill === undefined ? {} : toSizes(settings, skill)),
    }
  })
  const gone = tools.skills.filter(({ kind }) => kind === 'disabled')
  const listBytes = countListBytes(settings, tools.skills)
  return escapeHiddenTexts({
    digest,
    isFirst,
    protocol: listing.version,
    ...(listing.serverInfo === undefined ? {} : { server: { ...listing.serverInfo } }),
    tools: lines,
    disabled: gone.map(({ skillId }) => skillId),
    excluded: [...judged.left],
    nameless: [...judged.nameless],
    collisions: [...tools.collisions],
    listBytes,
    listTokens: toTokens(listBytes),
  })
}

function toDoes(skill: PlannedSkill | undefined, offer: OfferedTool | undefined): string {
  if (offer !== undefined) return offer.state
  return skill?.kind ?? 'unchanged'
}

function toSizes(settings: Settings, skill: PlannedSkill): JsonObject {
  const bytes = countListBytes(settings, [skill])
  const { credits_per_call: credits } = skill.definition
  return { bytes, tokens: toTokens(bytes), credits: typeof credits === 'number' ? credits : 0 }
}

/** What a refresh, an apply or an approval changed. */
export function toAppliedView(skills: readonly PlannedSkill[], listed: number | undefined) {
  const ofKind = (kind: PlannedSkill['kind']) =>
    skills.filter((one) => one.kind === kind).map(({ skillId }) => skillId)
  return {
    added: ofKind('added'),
    changed: ofKind('changed'),
    removed: [...ofKind('disabled'), ...ofKind('deleted')],
    ...(listed === undefined ? {} : { listed }),
  }
}
