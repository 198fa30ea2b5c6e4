/**
 * Reads a stored entry of a tool list. The known fields are kept in one order, so that two entries
 * are equal if their JSON is equal. core/mcp/fits-clients.ts checks whether clients accept an
 * entry.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { SKILL_SOURCES, type Tool, type ToolAnnotations } from './skill.ts'
import { readToolUi } from './upstreams/ui-meta.ts'
import { readStoredGroups } from './visible.ts'

/** Returns undefined for JSON that is not an entry. Leaves out optional fields of a wrong type. */
export function readTool(value: Json): Tool | undefined {
  if (!isJsonObject(value)) return undefined
  const { description, inputSchema, name, priceMicroCredits } = value
  if (typeof name !== 'string' || typeof description !== 'string') return undefined
  if (!isJsonObject(inputSchema) || typeof priceMicroCredits !== 'number') return undefined
  const groups = readStoredGroups(value['groups'])
  return {
    name,
    title: readText(value['title']),
    description,
    inputSchema,
    skillId: readText(value['skillId']),
    priceMicroCredits,
    ...readExtras(value),
    ...(groups.length === 0 ? {} : { groups }),
    ...readOrigin(value),
  }
}

/** Leaves members out instead of setting undefined, which saves memory in long lists. */
function readExtras(value: JsonObject): Partial<Tool> {
  const { annotations, emoji, needsTask, outputSchema, tags, timeoutMs, typicalMs } = value
  const ui = readToolUi({ ui: value['ui'] ?? null })
  const hints = readAnnotations(annotations)
  return {
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(typeof emoji === 'string' ? { emoji } : {}),
    ...(isTexts(tags) ? { tags } : {}),
    ...(typeof typicalMs === 'number' ? { typicalMs } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
    ...(needsTask === true ? { needsTask } : {}),
    ...(ui === undefined ? {} : { ui }),
  }
}

function readOrigin({ source, version }: JsonObject): Partial<Tool> {
  const tier = SKILL_SOURCES.find((one) => one === source)
  return tier === undefined || typeof version !== 'number' ? {} : { source: tier, version }
}

/** Fills missing hints with MCP's defaults; undefined for a value that is not a set of hints. */
export function readAnnotations(value: Json | undefined): ToolAnnotations | undefined {
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

function readText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
