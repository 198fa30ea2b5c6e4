/**
 * Users as lists show them: what is shown of each, their order, and the partitions of entries that a
 * list reads. A user's entries follow from the fields here alone, none of which a call changes. Bound
 * by docs/admin-api.md, GET users, and ADR 0044.
 */
import type { Profile } from '../ledger/ledger.ts'
import { foldedName } from './user-names.ts'
import { stateOf, type UserState } from './user-state.ts'

/** Users in one page. */
export const USERS_PAGE_MAX = 200
export const USERS_PAGE_DEFAULT = 50

/** Entries that one page may read; a filter may leave most of them out. 200 kB, 2 MB with the longest groups. */
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

/** A place in the order of all lists. `name` is folded. */
export type UserPlace = { readonly name: string; readonly uid: string }

/** Absent: any. Without a state, all but deleted users. */
export type UserFilter = {
  readonly tier?: string
  readonly state?: UserState
  /** Case counts, as it does where skills are seen. */
  readonly group?: string
}

/**
 * One partition of entries. Every user but a deleted one is in `all`, in the tier's and in one for each
 * group; `closed` has those who are not active. A further filter is a further facet.
 */
export type Facet = 'all' | 'closed' | `group:${string}` | `tier:${string}`

export function facetsOf(profile: Pick<Profile, 'disabled' | 'groups' | 'tier'>): readonly Facet[] {
  const { groups = [], tier } = profile
  const state = stateOf(profile)
  const closed: readonly Facet[] = state === 'active' ? [] : ['closed']
  if (state === 'deleted') return closed
  return ['all', `tier:${tier}`, ...groups.map((group): Facet => `group:${group}`), ...closed]
}

/** The partition with the fewest entries that the filter does not want. */
export function facetFor({ group, state, tier }: UserFilter): Facet {
  if (state !== undefined && state !== 'active') return 'closed'
  if (group !== undefined) return `group:${group}`
  return tier === undefined ? 'all' : `tier:${tier}`
}

export function isListed(
  user: Pick<ListedUser, 'groups' | 'state' | 'tier'>,
  filter: UserFilter,
): boolean {
  const { group, state, tier } = filter
  if (tier !== undefined && user.tier !== tier) return false
  if (group !== undefined && user.groups?.includes(group) !== true) return false
  return state === undefined ? user.state !== 'deleted' : user.state === state
}

export function listedOf(profile: Profile): ListedUser {
  const { createdAtMs, groups, identity, tier, uid, username } = profile
  const state = stateOf(profile)
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

export function placeOf({ uid, username }: Pick<ListedUser, 'uid' | 'username'>): UserPlace {
  return { name: foldedName(username), uid }
}
