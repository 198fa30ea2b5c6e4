/**
 * GET users: a page of users by name, or the one user with a given uid, key id or identity. A page
 * reads profiles only for `balances`. Bound by docs/admin-api.md, GET users, and ADR 0044.
 */
import {
  type ListedUser,
  matchesUserFilter,
  toListedUser,
  toUserPlace,
  USERS_PAGE_DEFAULT,
  USERS_PAGE_MAX,
  type UserFilter,
  type UserPlace,
} from '../../access/user-directory.ts'
import { foldName, isIdentifier } from '../../access/user-names.ts'
import { USER_STATES } from '../../access/user-state.ts'
import { ok, type Result } from '../../errors.ts'
import { decodePositionPart, readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import { readProfiles } from './read-profiles.ts'
import { type BalanceView, toBalanceView } from './user-view.ts'

export type UsersQuery = PageQuery & {
  /** The beginning of the username. */
  readonly username: string | undefined
  readonly uid: string | undefined
  readonly keyId: string | undefined
  readonly identity: string | undefined
  readonly tier: string | undefined
  readonly state: string | undefined
  readonly group: string | undefined
  /** `true` adds the balance of each user. */
  readonly balances: string | undefined
}

export type UserRow = ListedUser & Partial<BalanceView>

export type ListUsersNeeds = Pick<Ports, 'clock' | 'profiles' | 'userDirectory'> & {
  readonly keys: Pick<Ports['keys'], 'find'>
}

/** Refuses with `malformed` a bad limit or cursor. */
export async function listUsers(
  ports: ListUsersNeeds,
  query: UsersQuery,
): Promise<Result<{ users: readonly UserRow[]; nextCursor?: string }>> {
  const limits = { max: USERS_PAGE_MAX, otherwise: USERS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, limits)
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, parsePlace)
  if (!place.ok) return place
  const after = place.value
  const filter = readFilter(query)
  const prefix = foldName(query.username ?? '')
  const addBalances = (users: readonly ListedUser[]) =>
    query.balances === 'true' ? withBalances(ports, users) : users
  const namedUids = await findNamedUids(ports, query)
  if (namedUids !== undefined) {
    const users = await readOneUser(ports, namedUids, { filter, prefix })
    return ok({ users: await addBalances(users) })
  }
  const page = await ports.userDirectory.page({ ...filter, prefix, after, limit: limit.value })
  const { next, users } = page
  const more = next === undefined ? {} : { nextCursor: writePlace(next) }
  return ok({ users: await addBalances(users), ...more })
}

async function withBalances(
  ports: Pick<Ports, 'clock' | 'profiles'>,
  users: readonly ListedUser[],
): Promise<readonly UserRow[]> {
  const profiles = await readProfiles(
    ports,
    users.map(({ uid }) => uid),
  )
  const nowMs = ports.clock.nowMs()
  return users.map((user) => {
    const profile = profiles.get(user.uid)
    return profile === undefined ? user : { ...user, ...toBalanceView(profile, nowMs) }
  })
}

function readFilter({ group, state, tier }: UsersQuery): UserFilter {
  const knownState = USER_STATES.find((one) => one === state)
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(knownState === undefined ? {} : { state: knownState }),
    ...(group === undefined ? {} : { group }),
  }
}

/** One uid for each parameter that names a single user; undefined if no parameter does. */
async function findNamedUids(
  { keys, userDirectory }: ListUsersNeeds,
  { identity, keyId, uid }: UsersQuery,
): Promise<readonly (string | undefined)[] | undefined> {
  if (identity === undefined && keyId === undefined && uid === undefined) return undefined
  const [key, owner] = await Promise.all([
    keyId === undefined ? undefined : keys.find(keyId),
    identity === undefined ? undefined : userDirectory.uidOf(identity),
  ])
  return [
    ...(uid === undefined ? [] : [uid]),
    ...(keyId === undefined ? [] : [key?.uid]),
    ...(identity === undefined ? [] : [owner]),
  ]
}

/** No user if the parameters name different users or an unknown one. */
async function readOneUser(
  { profiles }: ListUsersNeeds,
  [uid, ...others]: readonly (string | undefined)[],
  { filter, prefix }: { readonly filter: UserFilter; readonly prefix: string },
): Promise<readonly ListedUser[]> {
  if (!isIdentifier(uid) || others.some((other) => other !== uid)) return []
  const profile = await profiles.read(uid)
  if (profile === undefined) return []
  const user = toListedUser(profile)
  // A deleted user who is named by uid is shown, so that the ledger of that uid has an owner.
  const wanted = { ...filter, state: filter.state ?? user.state }
  return matchesUserFilter(user, wanted) && toUserPlace(user).name.startsWith(prefix) ? [user] : []
}

function writePlace({ name, uid }: UserPlace): string {
  return writeCursor(`${uid}:${encodeURIComponent(name)}`)
}

function parsePlace(position: string): UserPlace | undefined {
  const [, uid, encoded] = /^([A-Za-z0-9_-]{1,64}):(.+)$/.exec(position) ?? []
  const name = decodePositionPart(encoded)
  return uid === undefined || name === undefined ? undefined : { name, uid }
}
