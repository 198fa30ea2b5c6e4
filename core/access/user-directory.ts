/**
 * Users as lists show them: the shown fields, their order, and the store partitions that a list
 * reads. The directory entries of a user depend only on the fields here, and no call changes those.
 * Bound by docs/admin-api.md, GET users, and ADR 0044.
 */
import type { Profile } from '../ledger/ledger.ts'
import { foldName } from './user-names.ts'
import { readUserState, type UserState } from './user-state.ts'

/** Users in one page. */
export const USERS_PAGE_MAX = 200
export const USERS_PAGE_DEFAULT = 50

/**
 * Entries that one page may read, since a filter may drop most of them. They take 200 kB, or 2 MB
 * with the longest groups.
 */
export const DIRECTORY_READ_MAX = 1_000

export type ListedUser = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly state: UserState
  readonly identity?: string
  readonly groups?: readonly string[]
  readonly createdAtMs: number
}

/** A position in the order of all lists. `name` is folded (`foldName`). */
export type UserPlace = { readonly name: string; readonly uid: string }

/** An absent field allows any value. Without `state`, the filter allows all but deleted users. */
export type UserFilter = {
  readonly tier?: string
  readonly state?: UserState
  /** Compared with case, as groups of skills are. */
  readonly group?: string
}

/**
 * One partition of directory entries. `all` has every user but deleted ones; so do the partition of
 * the tier and that of each group. `closed` has the users who are not active. A new filter needs a
 * new facet.
 */
export type Facet = 'all' | 'closed' | `group:${string}` | `tier:${string}`

/** The partitions that have an entry for this user. */
export function listFacets(
  profile: Pick<Profile, 'disabled' | 'groups' | 'tier'>,
): readonly Facet[] {
  const { groups = [], tier } = profile
  const state = readUserState(profile)
  const closed: readonly Facet[] = state === 'active' ? [] : ['closed']
  if (state === 'deleted') return closed
  return ['all', `tier:${tier}`, ...groups.map((group): Facet => `group:${group}`), ...closed]
}

/** The partition that holds all users of the filter and the fewest others. */
export function chooseFacet({ group, state, tier }: UserFilter): Facet {
  if (state !== undefined && state !== 'active') return 'closed'
  if (group !== undefined) return `group:${group}`
  return tier === undefined ? 'all' : `tier:${tier}`
}

/** True if the filter allows the user. */
export function matchesUserFilter(
  user: Pick<ListedUser, 'groups' | 'state' | 'tier'>,
  filter: UserFilter,
): boolean {
  const { group, state, tier } = filter
  if (tier !== undefined && user.tier !== tier) return false
  if (group !== undefined && user.groups?.includes(group) !== true) return false
  return state === undefined ? user.state !== 'deleted' : user.state === state
}

/** The fields of a profile that lists show. */
export function toListedUser(profile: Profile): ListedUser {
  const { createdAtMs, groups, identity, tier, uid, username } = profile
  const state = readUserState(profile)
  return {
    uid,
    username,
    tier,
    state,
    ...(identity === undefined ? {} : { identity }),
    ...(groups === undefined ? {} : { groups }),
    createdAtMs,
  }
}

/** The position of a user in all lists. */
export function toUserPlace({ uid, username }: Pick<ListedUser, 'uid' | 'username'>): UserPlace {
  return { name: foldName(username), uid }
}
