/**
 * Changes the cached tool list: relists one skill from the tiers, replaces the list, or drops it.
 * Every change ends with a broadcast: a new version time, on which all sessions read the list
 * again. Rebuilding is in rebuild-tool-list.ts. Bound by docs/service.md, Tool list and Tool list
 * cache.
 *
 *   read version v ─▶ read the records ─▶ write (if the head still names v) ─▶ broadcast
 * - Two writers race: one moves the head, and the other one reads list and records again. A record
 *   that was put or removed before v was read is part of this change. The writer of a later record
 *   either reads our list or moves the head first.
 * - A change that leaves the list as it is still renews the version. So another writer's change,
 *   made from an older record, is refused.
 * - A process dies before the broadcast: sessions get the new list with the next broadcast or cold
 *   start. The same sync sent again finds a broadcast older than its skill, and writes it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillSource, Tool } from '../../skills/skill.ts'
import { compareNames } from '../../skills/tool-list.ts'
import { toListedTool } from '../tools/merge-tool-layers.ts'
import { updateAliasGroups } from './entry-groups.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'>

export type ListChange = { readonly tools: number; readonly changedAtMs: number }

/** Tries against other writers of the list. */
export const LIST_WRITE_ATTEMPTS = 8

export const LIST_CONFLICT = refuse(
  'conflict',
  'tools: the list is being changed by others at the same time. Send it again.',
  { retryAfterSec: 1 },
)

export type ListUpdate = {
  /** The tier that lists the id, or would if there were a list; undefined if no tier does. */
  readonly source: SkillSource | undefined
  /** False if there is no list. Relisting then makes none, and writes no broadcast. */
  readonly hasList: boolean
}

export type ListUpdateRequest = {
  readonly skillId: string
  /** True if the record was just put or removed; false if this only repairs the list. */
  readonly changed: boolean
  /**
   * If the last broadcast is older than this, it is written again, even if the list is the same.
   */
  readonly sinceMs: number
}

/**
 * Makes the entry of one shared skill match the tiers: the official skill, else the market's, else
 * no entry. An entry that was pushed without a skill is kept. Refuses with `conflict` if other
 * writers win every try. Throws `Fault` if the store fails.
 */
export async function relistSkill(
  ports: Needs,
  settings: Settings,
  relisting: ListUpdateRequest,
): Promise<Result<ListUpdate>> {
  const { skillId } = relisting
  let source: SkillSource | undefined
  const change = async (tools: readonly Tool[]) => {
    const [official, market] = await Promise.all([
      ports.skills.get({ source: 'official', skillId }),
      ports.skills.get({ source: 'market', skillId }),
    ])
    const record = official ?? market
    const tool = record === undefined ? undefined : toListedTool(ports, settings, record)
    source = tool === undefined ? undefined : record?.source
    const regrouped = updateAliasGroups(tools, settings.prefix, record)
    const old = regrouped.find((other) => other.name === skillId)
    if (record === undefined && old?.skillId !== skillId) return regrouped
    if (JSON.stringify(old) === JSON.stringify(tool)) return regrouped
    const others = regrouped.filter((other) => other !== old)
    return tool === undefined ? others : [...others, tool].sort(compareNames)
  }
  const hasList = await changeList(ports, change, relisting)
  return hasList.ok ? ok({ source, hasList: hasList.value }) : hasList
}

/**
 * `sync_cache` replace: a pushed list takes the place of the old one. `makeTools` reads the skills
 * of the entries. It is called again for each try, since a sync in between may have changed groups.
 */
export async function replaceList(
  ports: Needs,
  makeTools: () => Promise<Result<readonly Tool[]>>,
): Promise<Result<ListChange>> {
  for (let attempt = 1; attempt <= LIST_WRITE_ATTEMPTS; attempt += 1) {
    const old = await ports.toolsCache.read()
    const tools = await makeTools()
    if (!tools.ok) return tools
    if ((await ports.toolsCache.write(tools.value, old?.version)) !== undefined) {
      return ok({ tools: tools.value.length, changedAtMs: await announceChange(ports) })
    }
  }
  return LIST_CONFLICT
}

/** `sync_cache` drop: afterwards only the built-in tools are listed. */
export async function dropList(ports: Needs): Promise<ListChange> {
  await ports.toolsCache.drop()
  return { tools: 0, changedAtMs: await announceChange(ports) }
}

/**
 * Writes the broadcast and returns its time in ms: every session reads the list again at its next
 * tools/list. POST refresh-tools does only this.
 */
export function announceChange(ports: Pick<Ports, 'toolListVersion' | 'clock'>): Promise<number> {
  return ports.toolListVersion.write(ports.clock.nowMs())
}

type Change = (tools: readonly Tool[]) => Promise<readonly Tool[]>

/** Returns false if there is no list. */
async function changeList(
  ports: Needs,
  change: Change,
  relisting: ListUpdateRequest,
): Promise<Result<boolean>> {
  for (let attempt = 1; attempt <= LIST_WRITE_ATTEMPTS; attempt += 1) {
    const outcome = await tryChange(ports, change, relisting)
    if (outcome !== 'overtaken') return ok(outcome === 'done')
  }
  return LIST_CONFLICT
}

async function tryChange(
  ports: Needs,
  change: Change,
  { changed, sinceMs }: ListUpdateRequest,
): Promise<'done' | 'no-list' | 'overtaken'> {
  const old = await ports.toolsCache.read()
  const tools = await change(old?.tools ?? [])
  if (old === undefined) return 'no-list'
  const rewritten = tools !== old.tools
  if (rewritten) {
    if ((await ports.toolsCache.write(tools, old.version)) === undefined) return 'overtaken'
  } else if (changed && !(await ports.toolsCache.renew(old.version))) return 'overtaken'
  // Functions that cache the record drop it at a broadcast, whether the list shows it or not.
  const isDue = rewritten || changed || (await ports.toolListVersion.read()) < sinceMs
  if (isDue) await announceChange(ports)
  return 'done'
}
