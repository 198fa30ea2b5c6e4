/**
 * Decides which tool list a user has: all tools, or the search with a tool that calls what it
 * found. Reads no store, because flows have read the profile. Bound by docs/service.md, Short tool
 * list.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'

/**
 * Returns the user's own choice, or else that of the stage. `profile` is undefined for a caller
 * without a key, and if the profile could not be read.
 */
export function pickListKind(
  { toolList }: Pick<Settings, 'toolList'>,
  profile: { readonly list?: ToolListKind | undefined } | undefined,
): ToolListKind {
  return profile?.list ?? toolList
}

/**
 * Refuses a call that came through `<prefix>_call` with `forbidden` if the caller's list has all
 * tools, because that list does not have `<prefix>_call`.
 */
export function checkByName(
  settings: Pick<Settings, 'prefix' | 'toolList'>,
  profile: Pick<Profile, 'list'> | undefined,
  byName: boolean | undefined,
): Result<undefined> {
  if (byName !== true || pickListKind(settings, profile) === 'search') return ok(undefined)
  return refuse(
    'forbidden',
    `tool: ${settings.prefix}_call is not a tool of this user, whose list has all tools. Call the tool by its own name.`,
  )
}
