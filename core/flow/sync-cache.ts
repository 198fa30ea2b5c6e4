/**
 * POST /v1/admin/sync_cache: `{"mode": "rebuild" | "replace" | "drop", "tools"?, "cursor"?}`; no body
 * means rebuild. Bound by the spec (Administrative endpoints) and design section 4 (Admin bodies).
 */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { dropList, type ListChange, replaceList } from './change-tool-list.ts'
import { readPushedTools } from './read-pushed-tools.ts'
import { type Rebuilt, rebuildList } from './rebuild-list.ts'

type Needs = Pick<Ports, 'broadcast' | 'clock' | 'log' | 'skills' | 'toolsCache'>

/** A rebuild that is not done answers `{nextCursor, read}`: send `{"mode":"rebuild","cursor"}`. */
export async function syncCache(
  ports: Needs,
  settings: Settings,
  body: Json,
): Promise<Result<ListChange | Rebuilt>> {
  if (!isJsonObject(body))
    return refuse('malformed', 'body: must be a JSON object such as {"mode":"rebuild"}.')
  const { mode = 'rebuild', tools, cursor, ...rest } = body
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) {
    return refuse(
      'malformed',
      `/${unknown.slice(0, 64)}: is not a field of this request; it takes mode, tools and cursor.`,
    )
  }
  if (mode !== 'replace' && tools !== undefined) {
    return refuse('malformed', 'tools: goes with {"mode":"replace"} only.')
  }
  if (mode !== 'rebuild' && cursor !== undefined) {
    return refuse('malformed', 'cursor: goes with {"mode":"rebuild"} only.')
  }
  switch (mode) {
    case 'rebuild':
      if (cursor === undefined || typeof cursor === 'string') {
        return rebuildList(ports, settings, cursor)
      }
      return refuse('malformed', 'cursor: must be the nextCursor of the answer before.')
    case 'drop':
      return ok(await dropList(ports))
    case 'replace': {
      const pushed = readPushedTools(settings, tools)
      return pushed.ok ? replaceList(ports, pushed.value) : pushed
    }
    default:
      return refuse('malformed', 'mode: must be rebuild, replace or drop.')
  }
}
