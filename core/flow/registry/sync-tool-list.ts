/**
 * POST /v1/admin/sync_cache: `{"mode": "rebuild" | "replace" | "drop", "tools"?, "cursor"?}`; no
 * body means rebuild. Bound by docs/service.md, Tool list cache.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { findUnknownFields, refuseBody, refuseFields } from '../../json/body-fields.ts'
import { refuseCursor } from '../../json/cursor.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'
import { dropList, type ListChange, replaceList } from './change-tool-list.ts'
import { withSkillGroups } from './entry-groups.ts'
import { readPushedTools } from './read-pushed-tools.ts'
import { type RebuildOutcome, rebuildToolList } from './rebuild-tool-list.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'>

/**
 * Entries whose skills are read at a time: 10,000 entries take some seconds of the request's 29.
 */
const ENTRIES_AT_ONCE = 50

/**
 * Changes the cached list. An unfinished rebuild answers `{nextCursor, read}`; the client then
 * sends `{"mode":"rebuild","cursor"}`. Refuses a bad body, a list with errors, or with `conflict`
 * if other writers win every try.
 */
export async function syncToolList(
  ports: Needs,
  settings: Settings,
  body: Json,
): Promise<Result<ListChange | RebuildOutcome>> {
  if (!isJsonObject(body))
    return refuse('malformed', 'body: must be a JSON object such as {"mode":"rebuild"}.')
  const { mode = 'rebuild', tools, cursor, ...rest } = body
  const unknown = findUnknownFields(rest, ['mode', 'tools', 'cursor'], 'field')
  if (unknown.length > 0) return refuseBody(unknown)
  if (mode !== 'replace' && tools !== undefined) {
    return refuseBody([{ pointer: '/tools', message: 'goes with {"mode":"replace"} only' }])
  }
  if (mode !== 'rebuild' && cursor !== undefined) {
    return refuseBody([{ pointer: '/cursor', message: 'goes with {"mode":"rebuild"} only' }])
  }
  switch (mode) {
    case 'rebuild':
      if (cursor === undefined || typeof cursor === 'string') {
        return rebuildToolList(ports, settings, cursor)
      }
      return refuseCursor('body')
    case 'drop':
      return ok(await dropList(ports))
    case 'replace':
      return replaceByPushed(ports, settings, tools)
    default:
      return refuseBody([{ pointer: '/mode', message: 'must be rebuild, replace or drop' }])
  }
}

async function replaceByPushed(
  ports: Needs,
  settings: Settings,
  tools: Json | undefined,
): Promise<Result<ListChange>> {
  const pushed = readPushedTools(settings, tools)
  if (!pushed.ok) return pushed
  return replaceList(ports, () => checkPushedSkills(ports, settings, pushed.value))
}

/**
 * Reads the skills behind pushed entries. Each entry gets the groups of the skill that it runs. An
 * entry whose `skillId` would have no effect is refused: a call by the name of a stored shared
 * skill runs that skill, whatever the list says.
 */
async function checkPushedSkills(
  ports: Pick<Ports, 'skills'>,
  { prefix }: { readonly prefix: string },
  tools: readonly Tool[],
): Promise<Result<readonly Tool[]>> {
  const entries = [...tools.entries()]
  const faults: FieldError[] = []
  const checked: Tool[] = []
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const some = entries.slice(from, from + ENTRIES_AT_ONCE)
    for (const one of await Promise.all(some.map((entry) => checkEntry(ports, prefix, entry)))) {
      if ('pointer' in one) faults.push(one)
      else checked.push(one)
    }
  }
  return faults.length === 0 ? ok(checked) : refuseFields('invalid_arguments', faults)
}

async function checkEntry(
  ports: Pick<Ports, 'skills'>,
  prefix: string,
  [index, tool]: [number, Tool],
): Promise<Tool | FieldError> {
  const { name } = tool
  const skillId = enforcePrefix(prefix, tool.skillId ?? name)
  const record = await readSharedSkill(ports, skillId)
  if (skillId === name) return withSkillGroups(tool, record)
  const other = await readSharedSkill(ports, name)
  if (other === undefined) return withSkillGroups(tool, record)
  return {
    pointer: `/tools/${index}/skillId`,
    message: `must be ${name}: a call by this name runs the ${other.source} skill of that id`,
  }
}

/** Returns the skill that a call runs: the official one, or else the market's. */
async function readSharedSkill(
  { skills }: Pick<Ports, 'skills'>,
  skillId: string,
): Promise<SkillRecord | undefined> {
  return (
    (await skills.get({ source: 'official', skillId })) ??
    (await skills.get({ source: 'market', skillId }))
  )
}
