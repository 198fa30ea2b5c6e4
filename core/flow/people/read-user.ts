/** A user as changes answer it: what a change is about to replace. */
import { unknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import { type UserView, viewOf } from '../accounts/manage-users.ts'

/** Refuses with `not_found` an unknown user. */
export async function readUser(
  ports: Pick<Ports, 'profiles'>,
  uid: string,
): Promise<Result<UserView>> {
  const profile = await ports.profiles.read(uid)
  return profile === undefined ? unknownUser(uid) : ok(viewOf(profile))
}
