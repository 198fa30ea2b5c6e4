/**
 * Reads a stored entry of a tool list. Keeps the known
 * fields in one order, so that two entries are equal when their JSON is. core/mcp/fits-clients.ts
 * judges whether clients accept the entry.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { SKILL_SOURCES, type Tool, type ToolAnnotations } from './skill.ts'
import { groupsFrom } from './visible.ts'

/** Undefined for JSON that is not an entry; an optional field of the wrong type is left out. */
export function toolFrom(value: Json): Tool | undefined {
  if (!isJsonObject(value)) return undefined
  const { description, inputSchema, name, priceMicroCredits } = value
  if (typeof name !== 'string' || typeof description !== 'string') return undefined
  if (!isJsonObject(inputSchema) || typeof priceMicroCredits !== 'number') return undefined
  const groups = groupsFrom(value['groups'])
  return {
    name,
    title: textOf(value['title']),
    description,
    inputSchema,
    skillId: textOf(value['skillId']),
    priceMicroCredits,
    ...extrasFrom(value),
    ...(groups.length === 0 ? {} : { groups }),
    ...originFrom(value),
  }
}

/** Absent rather than undefined, to save memory in lists of thousands. */
function extrasFrom(value: JsonObject): Partial<Tool> {
  const { annotations, emoji, outputSchema, tags, timeoutMs, typicalMs } = value
  const hints = annotationsFrom(annotations)
  return {
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(typeof emoji === 'string' ? { emoji } : {}),
    ...(isTexts(tags) ? { tags } : {}),
    ...(typeof typicalMs === 'number' ? { typicalMs } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
  }
}

function originFrom({ source, version }: JsonObject): Partial<Tool> {
  const tier = SKILL_SOURCES.find((one) => one === source)
  return tier === undefined || typeof version !== 'number' ? {} : { source: tier, version }
}

/** Missing hints get MCP's defaults; undefined when the value is not a set of hints. */
export function annotationsFrom(value: Json | undefined): ToolAnnotations | undefined {
  if (!isJsonObject(value)) return undefined
  const {
    destructiveHint = true,
    idempotentHint = false,
    openWorldHint = true,
    readOnlyHint = false,
  } = value
  if (typeof readOnlyHint !== 'boolean' || typeof destructiveHint !== 'boolean') return undefined
  if (typeof idempotentHint !== 'boolean' || typeof openWorldHint !== 'boolean') return undefined
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
