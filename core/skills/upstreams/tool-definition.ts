/**
 * Makes the skill of an upstream's tool. The schemas are those of the server, byte for byte; the
 * endpoint, the credential, the limits and the price are those of the upstream's settings.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { ToolUi } from '../skill.ts'
import { readToolUi } from './ui-meta.ts'
import type { McpUpstream, UpstreamSettings } from './upstream.ts'

export type MadeTool = {
  readonly upstreamId: string
  readonly skillId: string
  readonly settings: UpstreamSettings
  /** As listed; `name` is a text. */
  readonly entry: JsonObject & { readonly name: string }
}

export function makeToolDefinition({ entry, settings, skillId, upstreamId }: MadeTool): JsonObject {
  const { credits, groups, prices, source } = settings
  return {
    id: skillId,
    source,
    meta: makeMeta(entry, settings),
    config: makeConfig(entry, settings, upstreamId),
    credits_per_call: Object.hasOwn(prices, entry.name) ? (prices[entry.name] ?? credits) : credits,
    ...(groups === undefined || groups.length === 0 ? {} : { groups }),
  }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

function makeMeta(entry: MadeTool['entry'], { url }: UpstreamSettings): JsonObject {
  const { annotations, description, inputSchema, name, outputSchema, title } = entry
  const told = isJsonObject(annotations) ? annotations : {}
  const hints = HINTS.filter((hint) => typeof told[hint] === 'boolean')
  const shown = [title, told['title'], name].find(isText) ?? name
  return {
    name: shown,
    description: isText(description) ? description : `The tool ${name} of ${toHost(url)}.`,
    parameters: inputSchema ?? { type: 'object' },
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    ...(hints.length === 0
      ? {}
      : { annotations: Object.fromEntries(hints.map((hint) => [hint, told[hint] ?? null])) }),
  }
}

function makeConfig(
  { _meta: meta, annotations, name }: MadeTool['entry'],
  settings: UpstreamSettings,
  upstreamId: string,
): JsonObject {
  const { auth, charge_tool_errors: chargesErrors, headers, resources, url } = settings
  const ui = resources ? readToolUi(meta) : undefined
  const told = isJsonObject(annotations) ? annotations : {}
  const isIdempotent = told['idempotentHint'] === true || told['readOnlyHint'] === true
  return {
    endpoint: url,
    method: 'POST',
    ...(auth === undefined ? {} : { auth }),
    ...(headers === undefined ? {} : { headers }),
    ...pickLimits(settings),
    mcp: {
      tool: name,
      upstream: upstreamId,
      ...(chargesErrors ? { charge_tool_errors: true } : {}),
      ...(isIdempotent ? { idempotent: true } : {}),
      ...(resources ? { resources: true } : {}),
      ...(ui === undefined ? {} : { ui: toUiConfig(ui) }),
    },
    response: { as: 'mcp' },
  }
}

function toUiConfig({ resourceUri, visibility }: ToolUi): JsonObject {
  return {
    resource_uri: resourceUri,
    ...(visibility === undefined ? {} : { visibility: [...visibility] }),
  }
}

function pickLimits({
  max_response_bytes: bytesMax,
  timeout_ms: timeoutMs,
}: UpstreamSettings): JsonObject {
  return {
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    ...(bytesMax === undefined ? {} : { max_response_bytes: bytesMax }),
  }
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function toHost(url: string): string {
  return URL.parse(url)?.host ?? url
}

/** The skill by which a list is asked for: its credential, headers and limits are the tools'. */
export function makeProbe(
  { id, settings }: Pick<McpUpstream, 'id' | 'settings'>,
  skillId: string,
): JsonObject {
  const entry = { name: 'list', description: 'Lists tools.', inputSchema: { type: 'object' } }
  return makeToolDefinition({ upstreamId: id, skillId, settings, entry })
}

/** The members of a mark that name the upstream's tool. */
export type UpstreamMark = {
  readonly upstream: string
  readonly tool: string
  /** The digest of the approved definition. */
  readonly pin: string
}

/** Undefined for a skill that no upstream made. */
export function readUpstreamMark(definition: JsonObject): UpstreamMark | undefined {
  const { import: mark } = definition
  if (!isJsonObject(mark)) return undefined
  const { pin, tool, upstream } = mark
  if (typeof upstream !== 'string' || typeof tool !== 'string' || typeof pin !== 'string')
    return undefined
  return { upstream, tool, pin }
}
