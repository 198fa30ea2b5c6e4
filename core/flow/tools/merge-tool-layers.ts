/**
 * The tool list of one caller in three layers: built-in tools, the cached list of shared skills,
 * the caller's private skills. A later layer adds to those before it. The list is never empty: when
 * the store fails it is the built-in tools. Bound by docs/service.md, Tool list.
 */
import type { Principal } from '../../access/principal.ts'
import { err, ok, type Result } from '../../errors.ts'
import { cursorRule } from '../../json/cursor.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import { fitsClients } from '../../mcp/fits-clients.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { toolOfSkill } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import {
  NO_OWN_TOOLS,
  type OwnTools,
  ownTools,
  pageOf,
  sharedTools,
  type ToolPage,
  withOwnTools,
} from '../../skills/tool-list.ts'
import { type Groups, NO_GROUPS } from '../../skills/visible.ts'
import { builtInTools } from './built-in-tools.ts'
import type { SharedLayer } from './shared-layer.ts'
import type { ListLayers, OwnLayer, OwnVersion, ToolListCache } from './tool-list-cache.ts'

export type ListToolsNeeds = Pick<
  Ports,
  'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'
>

/**
 * With what was read of the profile already: unchanged skills need no read, and without groups the
 * caller sees what is for everyone.
 */
export type ListCaller = Omit<Principal, 'sealingKey'> & {
  readonly skillsChangedAtMs?: number | undefined
  readonly groups?: Groups | undefined
}

/** Private skills of one user in its list; the rest is left out, with a line in the log. */
export const PRIVATE_SKILLS_LISTED_MAX = 1000

export async function mergedTools(
  ports: ListToolsNeeds,
  settings: Settings,
  cache: ToolListCache,
  lister: ListCaller | undefined,
): Promise<readonly Tool[]> {
  try {
    const { own, shared } = await listLayers(ports, settings, cache, lister)
    return withOwnTools(shared.tools, own?.own ?? NO_OWN_TOOLS)
  } catch (cause) {
    ports.log.note('error', 'tool-list-fallback', {}, cause)
    return builtInTools(settings)
  }
}

/** Throws `Fault` when the store does not answer. */
export async function listLayers(
  ports: ListToolsNeeds,
  settings: Settings,
  cache: ToolListCache,
  lister: ListCaller | undefined,
): Promise<ListLayers> {
  const reading = { cache, listVersion: ports.toolListVersion.read() }
  const [shared, own] = await Promise.all([
    sharedLayer(ports, settings, reading),
    lister === undefined ? undefined : ownLayer(ports, settings, reading, lister),
  ])
  return { shared: shared.viewOf(lister?.groups ?? NO_GROUPS), own }
}

/** A page of a merged list. Refuses a cursor that this gateway did not issue. */
export function toolPage(
  tools: readonly Tool[],
  cursor: string | undefined,
  pageSize: number,
): Result<ToolPage, RpcError> {
  const page = pageOf(tools, cursor, pageSize)
  if (page !== undefined) return ok(page)
  return err({ code: RPC_INVALID_PARAMS, message: `params.cursor: ${cursorRule()}` })
}

/** The list version is read once for both layers. */
type Reading = { readonly cache: ToolListCache; readonly listVersion: Promise<number> }

/** From the cache, until the list version changes. */
async function sharedLayer(
  ports: ListToolsNeeds,
  settings: Settings,
  { cache, listVersion }: Reading,
): Promise<SharedLayer> {
  const { prefix } = settings
  const changedAtMs = await listVersion
  const known = cache.shared(changedAtMs)
  if (known !== undefined) return known
  const list = await ports.toolsCache.read()
  const cached = (list?.tools ?? []).filter((tool) => fits(ports, tool))
  const tools = sharedTools({ builtIn: builtInTools(settings), cached, prefix })
  return cache.keepShared(changedAtMs, tools)
}

/**
 * From the cache, until the user's skills or the list version change. Skills are cached under
 * versions that were read before them: a change in between is in the skills that we read, and its
 * newer version makes the next list read them again.
 *   cached under the last known version:  wait for the version ─▶ the same: from the cache
 *   not cached:                           read beside the version, and cache under the last known one
 * A read is never one more in a row: a changed version has the shared list read at the same time.
 */
async function ownLayer(
  ports: ListToolsNeeds,
  settings: Settings,
  { cache, listVersion }: Reading,
  { skillsChangedAtMs, uid }: ListCaller,
): Promise<OwnLayer> {
  const nowMs = ports.clock.nowMs()
  const read = async (version: OwnVersion | undefined) =>
    cache.keepOwn(uid, version, await privateTools(ports, settings, uid))
  if (skillsChangedAtMs === undefined) return read(undefined)
  const before = cache.listVersion()
  if (before !== undefined) {
    const version = { changedAtMs: before, skillsChangedAtMs, nowMs }
    if (cache.own(uid, version) === undefined) return read(version)
  }
  const version = { changedAtMs: await listVersion, skillsChangedAtMs, nowMs }
  return cache.own(uid, version) ?? read(version)
}

async function privateTools(
  ports: ListToolsNeeds,
  settings: Settings,
  uid: string,
): Promise<OwnTools> {
  const limit = PRIVATE_SKILLS_LISTED_MAX
  const { records, next } = await ports.skills.list({ source: 'private', uid, limit })
  if (next !== undefined) ports.log.note('warn', 'private-skills-left-out', { uid })
  const tools = records.flatMap((record) => listedTool(ports, settings, record) ?? [])
  const skillIds = records.map(({ skillId }) => skillId)
  const { prefix } = settings
  return ownTools(tools, skillIds, { builtIn: builtInTools(settings), prefix })
}

/**
 * The list entry of a stored skill; undefined, with a line in the log, where it would break a
 * client.
 */
export function listedTool(
  ports: Pick<Ports, 'log'>,
  settings: Settings,
  record: SkillRecord,
): Tool | undefined {
  const read = readStoredSkill(record, settings.prefix)
  if (!read.ok) {
    ports.log.note('warn', 'skill-not-listed', { skillId: record.skillId, source: record.source })
    return undefined
  }
  const { skill } = read.value
  if (!isRunnable(skill) || (skill.state ?? 'listed') !== 'listed') return undefined
  const { source, toolName, version } = record
  const tool = {
    ...toolOfSkill(skill, toolName),
    ...(source === 'private' ? {} : { source, version }),
  }
  return fits(ports, tool) ? tool : undefined
}

function fits(ports: Pick<Ports, 'log'>, tool: Tool): boolean {
  const fit = fitsClients(tool)
  if (!fit.ok) ports.log.note('warn', 'tool-not-listed', { tool: tool.name })
  return fit.ok
}
