/**
 * tools/list: built-in < cached < the caller's private skills, each layer over the one before; the
 * list is never empty. Bound by the spec (tools/list resolution) and design section 4 (tools/list).
 */

import type { Principal } from '../access/principal.ts'
import { err, ok, type Result } from '../errors.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../jsonrpc/message.ts'
import { fitsClients } from '../mcp/fits-clients.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { builtInTools } from '../skills/built-in.ts'
import { isRunnable, readSkill } from '../skills/read-skill.ts'
import type { SkillRecord, Tool } from '../skills/skill.ts'
import { mergeTools, pageOf, type ToolPage, toolOfSkill } from '../skills/tool-list.ts'

export type ListToolsNeeds = Pick<Ports, 'broadcast' | 'log' | 'skills' | 'toolsCache'>

/** What one environment remembers of the cached list: valid as long as the broadcast stands still. */
export type ToolListMemory = {
  known: { readonly changedAtMs: number; readonly tools: readonly Tool[] } | undefined
}

/** Private skills of one user that are listed at most; more are logged and left out. */
export const PRIVATE_SKILLS_LISTED_MAX = 1000

export async function mergedTools(
  ports: ListToolsNeeds,
  settings: Settings,
  memory: ToolListMemory,
  principal: Principal | undefined,
): Promise<readonly Tool[]> {
  const builtIn = builtInTools(settings.prefix)
  try {
    const [cached, own] = await Promise.all([
      cachedTools(ports, memory),
      principal === undefined ? [] : privateTools(ports, settings, principal.uid),
    ])
    return mergeTools({ builtIn, cached, private: own, prefix: settings.prefix })
  } catch (cause) {
    ports.log.note('error', 'tool-list-fallback', {}, cause)
    return builtIn
  }
}

/** A page of a merged list. Refuses a cursor that is none of ours. */
export function toolPage(
  tools: readonly Tool[],
  cursor: string | undefined,
  pageSize: number,
): Result<ToolPage, RpcError> {
  const page = pageOf(tools, cursor, pageSize)
  if (page !== undefined) return ok(page)
  return err({
    code: RPC_INVALID_PARAMS,
    message:
      'cursor: is not one that this gateway gave out. Ask without a cursor for the first page.',
  })
}

/** A session discards what it knows when the broadcast's timestamp shows a change (spec). */
async function cachedTools(
  ports: ListToolsNeeds,
  memory: ToolListMemory,
): Promise<readonly Tool[]> {
  const changedAtMs = await ports.broadcast.read()
  if (memory.known?.changedAtMs === changedAtMs) return memory.known.tools
  const list = await ports.toolsCache.read()
  const tools = (list?.tools ?? []).filter((tool) => fits(ports, tool))
  memory.known = { changedAtMs, tools }
  return tools
}

async function privateTools(
  ports: ListToolsNeeds,
  settings: Settings,
  uid: string,
): Promise<readonly Tool[]> {
  const { records, next } = await ports.skills.list({
    source: 'private',
    uid,
    limit: PRIVATE_SKILLS_LISTED_MAX,
  })
  if (next !== undefined) ports.log.note('warn', 'private-skills-left-out', { uid })
  return records.flatMap((record) => listedTool(ports, settings, record) ?? [])
}

/** The list entry of a stored skill; undefined (and logged) where it would break a client. */
export function listedTool(
  ports: Pick<Ports, 'log'>,
  settings: Settings,
  record: SkillRecord,
): Tool | undefined {
  const read = readSkill(record.definition, { prefix: settings.prefix, source: record.source })
  if (!read.ok) {
    ports.log.note('warn', 'skill-not-listed', { skillId: record.skillId, source: record.source })
    return undefined
  }
  if (!isRunnable(read.value.skill)) return undefined
  const tool = toolOfSkill(read.value.skill, record.toolName)
  return fits(ports, tool) ? tool : undefined
}

function fits(ports: Pick<Ports, 'log'>, tool: Tool): boolean {
  const fit = fitsClients(tool)
  if (!fit.ok) ports.log.note('warn', 'tool-not-listed', { tool: tool.name })
  return fit.ok
}

export function toolListMemory(): ToolListMemory {
  return { known: undefined }
}
