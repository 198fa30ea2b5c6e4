/**
 * The name of a user who is made for an identity. The claims of a token suggest one; it is taken
 * only if no other user has it. Two users who are made at once may get one name, as two users of
 * two administrators may: no call depends on a name.
 */
import { readUsernames } from '../../access/identity-claims.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { checkUsername } from './check-username.ts'
import { findNamesakes } from './claim-username.ts'

/** Returns the first name of the claims that is allowed and free, otherwise the uid. */
export async function pickUsername(
  ports: Pick<Ports, 'profiles' | 'usernames'>,
  settings: Pick<Settings, 'prefix'>,
  { claims, uid }: { readonly claims: JsonObject; readonly uid: string },
): Promise<string> {
  for (const username of readUsernames(claims)) {
    if (!checkUsername(settings, { username }).ok) continue
    if ((await findNamesakes(ports, { uid, username })).length === 0) return username
  }
  return uid
}
