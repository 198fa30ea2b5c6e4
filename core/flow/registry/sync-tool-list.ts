/**
 * POST /v1/admin/sync_cache: `{"mode": "rebuild" | "replace" | "drop", "tools"?, "cursor"?}`; no
 * body means rebuild. Bound by docs/service.md, Tool list cache.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody, unknownFields } from '../../json/body-fields.ts'
import { refuseCursor } from '../../json/cursor.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { dropList, type ListChange, replaceList } from './change-tool-list.ts'
import { checkPushedSkills } from './check-pushed-skills.ts'
import { readPushedTools } from './read-pushed-tools.ts'
import { type RebuildOutcome, rebuildToolList } from './rebuild-tool-list.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'clock' | 'log' | 'skills' | 'toolsCache'>

/** A rebuild that is not done answers `{nextCursor, read}`: send `{"mode":"rebuild","cursor"}`. */
export async function syncToolList(
  ports: Needs,
  settings: Settings,
  body: Json,
): Promise<Result<ListChange | RebuildOutcome>> {
  if (!isJsonObject(body))
    return refuse('malformed', 'body: must be a JSON object such as {"mode":"rebuild"}.')
  const { mode = 'rebuild', tools, cursor, ...rest } = body
  const unknown = unknownFields(rest, ['mode', 'tools', 'cursor'], 'field')
  if (unknown.length > 0) return badBody(unknown)
  if (mode !== 'replace' && tools !== undefined) {
    return badBody([{ pointer: '/tools', message: 'goes with {"mode":"replace"} only' }])
  }
  if (mode !== 'rebuild' && cursor !== undefined) {
    return badBody([{ pointer: '/cursor', message: 'goes with {"mode":"rebuild"} only' }])
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
      return badBody([{ pointer: '/mode', message: 'must be rebuild, replace or drop' }])
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
