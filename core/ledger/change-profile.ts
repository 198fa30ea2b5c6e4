/**
 * A profile after an administrator's change. Moves no credits and no holds. Bound by
 * docs/service.md, User administration, and ADR 0044.
 */
import type { Disabled } from '../access/user-state.ts'
import type { ToolListKind } from '../skills/tool-list-kind.ts'
import type { MicroCredits, Profile } from './ledger.ts'

/**
 * An absent member stays as it is. Null removes the identity, the threshold or the kind of list, or
 * makes the user active.
 */
export type ProfileChange = {
  readonly username?: string
  readonly tier?: string
  readonly identity?: string | null
  readonly disabled?: Disabled | null
  readonly lowBalanceAt?: MicroCredits | null
  readonly list?: ToolListKind | null
  /** All groups of the user; an empty list for none. */
  readonly groups?: readonly string[]
  /** Groups to add to those that the profile has at the write; `max` limits the sum. */
  readonly addGroups?: { readonly groups: readonly string[]; readonly max: number }
  /** Groups to remove from those that the profile has at the write. */
  readonly removeGroups?: readonly string[]
}

/** The profile after a change, and the name that the change replaced, if it set another one. */
export type ChangedProfile = Profile & { readonly usernameBefore?: string }

/**
 * Returns undefined if the change is refused: only the end of the deletion changes a user who is
 * being deleted, and nothing changes a deleted user. Returns `groups_full` if the user would have
 * more than `addGroups.max` groups.
 */
export function applyProfileChange(
  profile: Profile,
  to: ProfileChange,
): ChangedProfile | 'groups_full' | undefined {
  const before = profile.disabled?.state
  const changes = Object.keys(to).length > 0
  if (changes && before === 'deleted') return undefined
  const after = to.disabled?.state
  if (changes && before === 'deleting' && after !== 'deleting' && after !== 'deleted') {
    return undefined
  }
  const { disabled, groups: _, identity, list, lowBalanceAt, ...rest } = profile
  const inGroups = applyGroups(profile, to)
  if (to.addGroups !== undefined && inGroups.length > to.addGroups.max) return 'groups_full'
  return {
    ...rest,
    ...toRenamed(profile.username, to.username),
    ...(to.tier === undefined ? {} : { tier: to.tier }),
    ...toMember('disabled', to.disabled, disabled),
    ...toMember('identity', to.identity, identity),
    ...toMember('lowBalanceAt', to.lowBalanceAt, lowBalanceAt),
    ...toMember('list', to.list, list),
    ...(inGroups.length === 0 ? {} : { groups: inGroups }),
  }
}

function applyGroups(
  { groups = [] }: Profile,
  { addGroups, groups: all = groups, removeGroups = [] }: ProfileChange,
): readonly string[] {
  if (addGroups === undefined && removeGroups.length === 0) return all
  const kept = all.filter((group) => !removeGroups.includes(group))
  return [...new Set([...kept, ...(addGroups?.groups ?? [])])].sort()
}

function toRenamed(before: string, to: string | undefined) {
  return to === undefined || to === before ? {} : { username: to, usernameBefore: before }
}

function toMember<K extends string, V>(
  key: K,
  to: V | null | undefined,
  before: V | undefined,
): { readonly [name in K]?: V } {
  const value = to === undefined ? before : (to ?? undefined)
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in K]?: V }
}
