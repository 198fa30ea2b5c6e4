/**
 * The tool list of one caller in three layers: built-in tools, the cached list of shared skills,
 * and the caller's private skills. Each layer adds to the layers before it. The list is never
 * empty: if the store fails, it has the built-in tools. Bound by docs/service.md, Tool list.
 */
import type { Principal } from '../../access/principal.ts'
import { err, ok, type Result } from '../../errors.ts'
import { writeCursorRule } from '../../json/cursor.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import { checkForClients } from '../../mcp/fits-clients.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { findBuiltInName } from '../../skills/built-in-names.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import { isListedState } from '../../skills/definition/read-state.ts'
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { toTool } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import {
  mergeSharedTools,
  NO_OWN_TOOLS,
  type OwnTools,
  pickPage,
  prepareOwnTools,
  type ToolPage,
  withOwnTools,
} from '../../skills/tool-list.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import { type Groups, NO_GROUPS } from '../../skills/visible.ts'
import { listBuiltInTools, listTaskTools, makeBuiltInTools, pickShown } from './built-in-tools.ts'
import { fitTaskTools } from './fit-task-tools.ts'
import { scopeLayers } from './scope-layers.ts'
import type { SharedLayer } from './shared-layer.ts'
import type { ListLayers, OwnLayer, OwnVersion, ToolListCache } from './tool-list-cache.ts'

export type ListToolsNeeds = Pick<
  Ports,
  'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'
>

/**
 * The caller, with members of the profile if it was read. With `skillsChangedAtMs`, unchanged
 * skills need no read. Without `groups`, the caller sees only skills for everyone.
 */
export type ListCaller = Omit<Principal, 'sealingKey'> & {
  readonly skillsChangedAtMs?: number | undefined
  readonly groups?: Groups | undefined
  /** The user's own kind of list; undefined for that of the stage. */
  readonly list?: ToolListKind | undefined
}

/** Private skills of one user in the list. Further skills are left out, with a line in the log. */
export const PRIVATE_SKILLS_LISTED_MAX = 1000

/** Returns the whole list of a caller. Never throws a `Fault`. */
export async function readMergedTools(
  ports: ListToolsNeeds,
  settings: Settings,
  cache: ToolListCache,
  lister: ListCaller | undefined,
): Promise<readonly Tool[]> {
  try {
    const { own, shared } = await readListLayers(ports, settings, cache, lister)
    const merged = withOwnTools(shared.tools, own?.own ?? NO_OWN_TOOLS)
    return fitTaskTools(merged, listTaskTools(settings))
  } catch (cause) {
    ports.log.note('error', 'tool-list-fallback', {}, cause)
    return listBuiltInTools(settings, 'all')
  }
}

/**
 * Returns the short list, with the texts that administrators pushed for its tools. Never throws a
 * `Fault`.
 */
export async function readShortList(
  ports: ListToolsNeeds,
  settings: Settings,
  cache: ToolListCache,
): Promise<readonly Tool[]> {
  try {
    const reading = { cache, listVersion: ports.toolListVersion.read() }
    return (await readSharedLayer(ports, settings, reading)).short
  } catch (cause) {
    ports.log.note('error', 'tool-list-fallback', {}, cause)
    return listBuiltInTools(settings, 'search')
  }
}

/**
 * Returns the shared and the private layer of a caller's list. Throws `Fault` if the store fails.
 */
export async function readListLayers(
  ports: ListToolsNeeds,
  settings: Settings,
  cache: ToolListCache,
  lister: ListCaller | undefined,
): Promise<ListLayers> {
  const reading = { cache, listVersion: ports.toolListVersion.read() }
  const [shared, own] = await Promise.all([
    readSharedLayer(ports, settings, reading),
    lister === undefined ? undefined : readOwnLayer(ports, settings, reading, lister),
  ])
  const layers = { shared: shared.viewOf(lister?.groups ?? NO_GROUPS), own }
  return lister?.scope === undefined ? layers : scopeLayers(settings, layers, lister.scope)
}

/** Returns the tools of skills that all users may share, without built-in tools. */
export async function readSharedSkills(
  { log, toolsCache }: Pick<ListToolsNeeds, 'log' | 'toolsCache'>,
  { prefix }: Pick<Settings, 'prefix'>,
): Promise<readonly Tool[]> {
  const cached = (await toolsCache.read())?.tools ?? []
  const listed = cached.filter(
    (tool) =>
      tool.skillId !== undefined &&
      findBuiltInName(prefix, tool.name) === undefined &&
      isListable({ log }, tool),
  )
  return mergeSharedTools({ builtIn: [], cached: listed, prefix })
}

/** Cuts a page out of a merged list. Refuses a cursor that this gateway did not issue. */
export function cutToolPage(
  tools: readonly Tool[],
  cursor: string | undefined,
  pageSize: number,
): Result<ToolPage, RpcError> {
  const page = pickPage(tools, cursor, pageSize)
  if (page !== undefined) return ok(page)
  return err({ code: RPC_INVALID_PARAMS, message: `params.cursor: ${writeCursorRule()}` })
}

/** The list version is read once, for both layers. */
type Reading = { readonly cache: ToolListCache; readonly listVersion: Promise<number> }

/** Uses the cached layer until the list version changes. */
async function readSharedLayer(
  ports: ListToolsNeeds,
  settings: Settings,
  { cache, listVersion }: Reading,
): Promise<SharedLayer> {
  const { prefix } = settings
  const changedAtMs = await listVersion
  const kept = cache.shared(changedAtMs)
  if (kept !== undefined) return kept
  const list = await ports.toolsCache.read()
  const cached = (list?.tools ?? []).filter((tool) => isListable(ports, tool))
  const merged = mergeSharedTools({ builtIn: makeBuiltInTools(settings), cached, prefix })
  return cache.keepShared(changedAtMs, pickShown(settings, 'all', merged), {
    short: pickShown(settings, 'search', merged),
    taskTools: listTaskTools(settings),
  })
}

/**
 * Uses the cached layer until the user's skills or the list version change. Skills are cached under
 * a version that was read before them. So if a change comes in between, these skills contain it,
 * and its newer version makes the next list read them again.
 *   cached under the cached list's version:  wait for the version ─▶ unchanged: use the cache
 *   not cached:                              read while the version is read; cache under the old one
 * No caller waits for a further round trip: if the version changed, the shared list is read at the
 * same time.
 */
async function readOwnLayer(
  ports: ListToolsNeeds,
  settings: Settings,
  { cache, listVersion }: Reading,
  { skillsChangedAtMs, uid }: ListCaller,
): Promise<OwnLayer> {
  const nowMs = ports.clock.nowMs()
  const read = async (version: OwnVersion | undefined) =>
    cache.keepOwn(
      uid,
      version,
      await readPrivateTools(ports, { settings, uid }, makeBuiltInTools(settings)),
    )
  if (skillsChangedAtMs === undefined) return read(undefined)
  const before = cache.listVersion()
  if (before !== undefined) {
    const version = { changedAtMs: before, skillsChangedAtMs, nowMs }
    if (cache.own(uid, version) === undefined) return read(version)
  }
  const version = { changedAtMs: await listVersion, skillsChangedAtMs, nowMs }
  return cache.own(uid, version) ?? read(version)
}

/** Reads the user's own tools. A tool of a name in `builtIn` is left out. */
export async function readPrivateTools(
  ports: ListToolsNeeds,
  { settings, uid }: { readonly settings: Settings; readonly uid: string },
  builtIn: readonly Tool[],
): Promise<OwnTools> {
  const limit = PRIVATE_SKILLS_LISTED_MAX
  const { records, next } = await ports.skills.list({ source: 'private', uid, limit })
  if (next !== undefined) ports.log.note('warn', 'private-skills-left-out', { uid })
  const tools = records.flatMap((record) => toListedTool(ports, settings, record) ?? [])
  const skillIds = records.map(({ skillId }) => skillId)
  return prepareOwnTools(tools, skillIds, { builtIn, prefix: settings.prefix })
}

/**
 * Returns the list entry of a stored skill; undefined if the skill is not listed. An entry that
 * would break a client is left out, with a line in the log.
 */
export function toListedTool(
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
  if (!isRunnable(skill) || !isListedState(skill.state)) return undefined
  const { source, toolName, version } = record
  const tool = {
    ...toTool(skill, toolName),
    ...(source === 'private' ? {} : { source, version }),
  }
  return isListable(ports, tool) ? tool : undefined
}

export function isListable(ports: Pick<Ports, 'log'>, tool: Tool): boolean {
  const fit = checkForClients(tool)
  if (!fit.ok) ports.log.note('warn', 'tool-not-listed', { tool: tool.name })
  return fit.ok
}
