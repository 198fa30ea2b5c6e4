/**
 * POST /v1/admin/sync_cache: `{"mode": "rebuild" | "replace" | "drop", "tools"?}`; no body means
 * rebuild. Bound by the spec (Administrative endpoints) and design section 4 (Admin bodies).
 */
import { type FieldFault, ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { fitsClients } from '../mcp/fits-clients.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import type { Tool } from '../skills/skill.ts'
import { toolKey } from '../skills/tool-name.ts'
import { dropList, type ListChange, rebuildList, replaceList } from './change-tool-list.ts'

type Needs = Pick<Ports, 'broadcast' | 'clock' | 'log' | 'skills' | 'toolsCache'>

/** Tools of a pushed list; what the gateway is built for. */
export const PUSHED_TOOLS_MAX = 10_000

export async function syncCache(
  ports: Needs,
  settings: Settings,
  body: Json,
): Promise<Result<ListChange>> {
  if (!isJsonObject(body))
    return refuse('malformed', 'body: must be a JSON object such as {"mode":"rebuild"}.')
  const { mode = 'rebuild', tools, ...rest } = body
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) {
    return refuse(
      'malformed',
      `/${unknown.slice(0, 64)}: is not a field of this request; it takes mode and tools.`,
    )
  }
  if (mode !== 'replace' && tools !== undefined) {
    return refuse('malformed', 'tools: goes with {"mode":"replace"} only.')
  }
  switch (mode) {
    case 'rebuild':
      return rebuildList(ports, settings)
    case 'drop':
      return ok(await dropList(ports))
    case 'replace': {
      const pushed = readTools(settings, tools)
      return pushed.ok ? replaceList(ports, pushed.value) : pushed
    }
    default:
      return refuse('malformed', 'mode: must be rebuild, replace or drop.')
  }
}

/** `[{name, description, inputSchema, title?, skillId?}]`; every entry that would break a client is named. */
function readTools(settings: Settings, value: Json | undefined): Result<readonly Tool[]> {
  if (!Array.isArray(value))
    return refuse('malformed', 'tools: must be an array of tools for mode replace.')
  if (value.length > PUSHED_TOOLS_MAX) {
    return refuse(
      'too_large',
      `tools: has ${value.length} entries; ${PUSHED_TOOLS_MAX} is the most.`,
    )
  }
  const tools = new Map<string, Tool>()
  const faults: FieldFault[] = []
  value.forEach((entry: Json, index: number) => {
    const tool = readTool(settings, entry)
    const fit = tool === undefined ? undefined : fitsClients(tool)
    if (tool === undefined) {
      faults.push({
        pointer: `/tools/${index}`,
        message: 'must be {"name", "description", "inputSchema"}',
      })
    } else if (fit !== undefined && !fit.ok) {
      faults.push({ pointer: `/tools/${index}`, message: fit.error.message })
    } else if (tools.has(tool.name)) {
      faults.push({ pointer: `/tools/${index}/name`, message: `${tool.name} is in the list twice` })
    } else tools.set(tool.name, tool)
  })
  if (faults.length === 0) return ok([...tools.values()])
  const shown = faults.slice(0, 20)
  return refuse('invalid_arguments', `tools: ${shown[0]?.pointer}: ${shown[0]?.message}`, {
    faults: shown,
  })
}

function readTool(settings: Settings, entry: Json): Tool | undefined {
  if (!isJsonObject(entry)) return undefined
  const { name, title, description, inputSchema, skillId } = entry
  if (typeof name !== 'string' || typeof description !== 'string' || !isSchema(inputSchema))
    return undefined
  return {
    name: toolKey(settings.prefix, name),
    title: typeof title === 'string' ? title : undefined,
    description,
    inputSchema,
    skillId: typeof skillId === 'string' ? skillId : undefined,
    priceMicroCredits: 0,
  }
}

function isSchema(value: Json | undefined): value is JsonObject {
  return isJsonObject(value)
}
