/**
 * Changes of the cached tool list: one skill listed, rebuilt from the tiers, replaced, dropped.
 * Every change ends with the broadcast, so that all sessions discard what they know.
 * Bound by design section 4 (tools/list, Admin bodies: sync_cache).
 *
 *   read version v ─▶ write v+1 (if the head still names v) ─▶ broadcast
 * Two writers race: the head moves for one; the other reads the new list and tries again.
 * Dies before the broadcast: the list is there and shows with the next broadcast or cold start; the
 * same sync again finds a broadcast older than its skill and writes it.
 */
import { ok, type Result, refuse } from '../errors.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import type { SkillRecord, Tool } from '../skills/skill.ts'
import { toolKey } from '../skills/tool-name.ts'
import { listedTool } from './list-tools.ts'

type Needs = Pick<Ports, 'broadcast' | 'clock' | 'log' | 'skills' | 'toolsCache'>

export type ListChange = { readonly tools: number; readonly changedAtMs: number }

/** Tries against other writers of the list. */
const WRITE_ATTEMPTS = 8
/** Skills read at a time by a rebuild. */
const REBUILD_PAGE = 1_000
/** Skills of one tier that a rebuild reads; ten times what the gateway is built for. */
const REBUILD_PAGES_MAX = 100

/**
 * Puts one stored official or market skill into the list; false when it must not be listed, or when
 * an official skill of the same id stands in its place. A list that has it already stays as it is.
 */
export async function listSkill(
  ports: Needs,
  settings: Settings,
  record: SkillRecord,
): Promise<boolean> {
  const hidden = record.source === 'market' && (await hasOfficial(ports, record.skillId))
  const tool = hidden ? undefined : listedTool(ports, settings, record)
  const change = async (tools: readonly Tool[] | undefined) => {
    if (tools === undefined) return tiersList(ports, settings)
    if (hidden) return tools
    const old = tools.find((other) => toolKey(settings.prefix, other.name) === record.toolName)
    if (JSON.stringify(old) === JSON.stringify(tool)) return tools
    const others = tools.filter((other) => other !== old)
    return tool === undefined ? others : [...others, tool]
  }
  const changed = await changeList(ports, change, record.updatedAtMs)
  return changed.ok && tool !== undefined
}

/** `rebuild`: the list made anew from the official and market tiers, official over market. */
export function rebuildList(ports: Needs, settings: Settings): Promise<Result<ListChange>> {
  return changeList(ports, () => tiersList(ports, settings))
}

/** `replace`: a pushed list takes the place of the old one. */
export function replaceList(ports: Needs, tools: readonly Tool[]): Promise<Result<ListChange>> {
  return changeList(ports, async () => tools)
}

/** `drop`: only built-in tools are left. */
export async function dropList(ports: Needs): Promise<ListChange> {
  await ports.toolsCache.drop()
  return { tools: 0, changedAtMs: await broadcast(ports) }
}

/** POST refresh-tools: all sessions look again at their next tools/list. */
export function broadcast(ports: Pick<Ports, 'broadcast' | 'clock'>): Promise<number> {
  return ports.broadcast.write(ports.clock.nowMs())
}

/** `sinceMs`: a broadcast that is older is written anew even where the list stays as it is. */
async function changeList(
  ports: Needs,
  change: (tools: readonly Tool[] | undefined) => Promise<readonly Tool[]>,
  sinceMs = 0,
): Promise<Result<ListChange>> {
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt += 1) {
    const old = await ports.toolsCache.read()
    const tools = await change(old?.tools)
    if (tools === old?.tools) {
      const toldAtMs = await ports.broadcast.read()
      const changedAtMs = toldAtMs < sinceMs ? await broadcast(ports) : toldAtMs
      return ok({ tools: tools.length, changedAtMs })
    }
    const written = await ports.toolsCache.write(tools, old?.version)
    if (written !== undefined)
      return ok({ tools: tools.length, changedAtMs: await broadcast(ports) })
  }
  return refuse(
    'conflict',
    'tools: the list is being changed by others at the same time. Send it again.',
    { retryAfterSec: 1 },
  )
}

async function hasOfficial(ports: Needs, skillId: string): Promise<boolean> {
  return (await ports.skills.get({ source: 'official', skillId })) !== undefined
}

/** Official over market: the later layer takes the key. */
async function tiersList(ports: Needs, settings: Settings): Promise<readonly Tool[]> {
  const byKey = new Map<string, Tool>()
  for (const source of ['market', 'official'] as const) {
    for await (const record of recordsOf(ports, source)) {
      const tool = listedTool(ports, settings, record)
      // A skill that cannot be listed hides the tier below all the same: a call resolves to it.
      if (tool === undefined) byKey.delete(record.toolName)
      else byKey.set(toolKey(settings.prefix, tool.name), tool)
    }
  }
  return [...byKey.values()]
}

async function* recordsOf(
  ports: Needs,
  source: 'official' | 'market',
): AsyncGenerator<SkillRecord> {
  let after: string | undefined
  for (let page = 0; page < REBUILD_PAGES_MAX; page += 1) {
    const from = after === undefined ? {} : { after }
    const read = await ports.skills.list({ source, limit: REBUILD_PAGE, ...from })
    yield* read.records
    after = read.next
    if (after === undefined) return
  }
}
