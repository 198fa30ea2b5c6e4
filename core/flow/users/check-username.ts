/**
 * Refuses a username that begins like the ids of shared skills, because private tools could not be
 * named by it.
 */
import { ok, type Result } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Settings } from '../../settings.ts'
import { resemblesShared } from '../../skills/tool-name.ts'

/** `body` may have no username, or one that other rules refuse. */
export function checkUsername({ prefix }: Pick<Settings, 'prefix'>, body: Json): Result<undefined> {
  const username = isJsonObject(body) ? body['username'] : undefined
  if (typeof username !== 'string' || !resemblesShared(prefix, username)) return ok(undefined)
  const message = `must not be ${prefix} or begin with ${prefix}_ (other characters than letters, digits and - count as _): private tools are named {username}_{skillId}, and could take the names of official ones`
  return refuseBody([{ pointer: '/username', message }])
}
