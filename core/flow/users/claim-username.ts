/**
 * Warns of a username that other users have. Names are compared in lower case, in Unicode's form
 * NFC and without spaces at their ends. A name that is taken is not refused: earlier records have
 * such users, and no call depends on the name. Bound by docs/admin-api.md, POST users.
 *
 *   write the profile ─▶ read the claim of the name ─▶ read its users' profiles
 *                     ─▶ write the claim if its version is unchanged
 *
 * The new claim has the user and the users of the old claim who still have the name. Two users at
 * once: both profiles exist before either claim is written. The second write is refused; its caller
 * reads again, finds the first user and is warned. The first user is not warned. A user of the
 * claim is renamed and back in between: each rename writes the claim after the profile, so a claim
 * without the user is refused, or that rename sees it. If the process dies before the claim, nobody
 * is warned until a PATCH sends the username again.
 *
 * A rename releases the name that its write replaced, so two renames at once each release another
 * name; a deletion releases the last name. A release and a claim of one name by one user at once
 * (renamed and back, or deleted): each reads the claim, then the profile, and writes. The second
 * write is refused and starts again. So the claim has the user if the profile has the name. Limit:
 * if a rename died before the release or got no answer of the store, the user stays in the old
 * claim until another user claims that name.
 */
import { foldName } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { Fault, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { UserView } from './user-view.ts'
import { addWarnings, type WarnedUser } from './warned-user.ts'

type Needs = Pick<Ports, 'profiles' | 'usernames'>

/** Users in one claim, newest last. More are not needed for a warning. */
export const NAMESAKES_MAX = 8
/** Tries against concurrent claims of the same name. */
export const CLAIM_TRIES_MAX = 10

/** Claims the user's name; the warning names the other users who have it. */
export async function addNameWarning<T extends UserView>(
  ports: Needs,
  user: T,
): Promise<T & WarnedUser> {
  const others = await claimUsername(ports, user)
  if (others.length === 0) return user
  const users = `user${others.length > 1 ? 's' : ''} ${others.join(', ')}`
  return addWarnings(user, [
    `username: ${user.username} is also the name of ${users}. Names of private tools and log lines show the username, so give each user a name of their own, or tell them apart by uid.`,
  ])
}

/**
 * The same for a new user. A `Fault` of the store becomes a warning, because the user exists and
 * the same POST would be refused.
 */
export async function addNewNameWarning<T extends UserView>(
  ports: Needs,
  made: Result<T>,
): Promise<Result<T & WarnedUser>> {
  if (!made.ok) return made
  const user = made.value
  try {
    return ok(await addNameWarning(ports, user))
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const warning = `username: the store failed before other users of this name were looked for. Set this username once more to look again.`
    return ok(addWarnings(user, [warning]))
  }
}

/**
 * Removes a user who has another name by now, or is being deleted, from the claim of this name. The
 * claim is written in any case, which refuses a concurrent claim. A claim without users remains.
 */
export async function releaseUsername(
  ports: Needs,
  { uid, username }: Pick<UserView, 'uid' | 'username'>,
): Promise<void> {
  const name = foldName(username)
  for (let attempt = 1; attempt <= CLAIM_TRIES_MAX; attempt += 1) {
    const { uids, version } = await ports.usernames.read(name)
    if (await hasName(ports, uid, name)) return
    const claim = { uids: uids.filter((one) => one !== uid), version: version + 1 }
    if (await ports.usernames.write(name, claim)) return
  }
  throw new Fault('store_unavailable', 'store: too many claims of one username at once')
}

/** The other users who have this name now, oldest claim first. Writes nothing. */
export async function findNamesakes(
  ports: Needs,
  { uid, username }: Pick<UserView, 'uid' | 'username'>,
): Promise<readonly string[]> {
  const name = foldName(username)
  const { uids } = await ports.usernames.read(name)
  const others = uids.filter((one) => one !== uid)
  return keepUsersNamed(ports, name, others)
}

/** Claims the name and returns the other users who have it, oldest claim first. */
async function claimUsername(
  ports: Needs,
  { uid, username }: Pick<UserView, 'uid' | 'username'>,
): Promise<readonly string[]> {
  const name = foldName(username)
  for (let attempt = 1; attempt <= CLAIM_TRIES_MAX; attempt += 1) {
    const { uids, version } = await ports.usernames.read(name)
    const others = await keepUsersNamed(
      ports,
      name,
      uids.filter((one) => one !== uid),
    )
    // The user was renamed again or deleted in between.
    if (!(await hasName(ports, uid, name))) return others
    const claim = { uids: [...others, uid].slice(-NAMESAKES_MAX), version: version + 1 }
    if (await ports.usernames.write(name, claim)) return others
  }
  throw new Fault('store_unavailable', 'store: too many claims of one username at once')
}

async function hasName({ profiles }: Needs, uid: string, name: string): Promise<boolean> {
  const profile = await profiles.read(uid)
  return profile !== undefined && !isBeingDeleted(profile) && foldName(profile.username) === name
}

/** Keeps the users who have this name now. */
async function keepUsersNamed(
  ports: Needs,
  name: string,
  uids: readonly string[],
): Promise<readonly string[]> {
  const profiles = await Promise.all(uids.map((uid) => ports.profiles.read(uid)))
  return profiles.flatMap((profile) =>
    profile !== undefined && foldName(profile.username) === name ? profile.uid : [],
  )
}
