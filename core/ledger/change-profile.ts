/**
 * A profile after an administrator's change: the one rule that every store follows. Moves no credits
 * and no holds. Bound by docs/service.md, User administration, and ADR 0044.
 */
import type { Disabled } from '../access/user-state.ts'
import type { MicroCredits, Profile } from './ledger.ts'

/** Absent members stay; null removes the identity or the threshold, and makes the user active. */
export type ProfileChange = {
  readonly username?: string
  readonly tier?: string
  readonly identity?: string | null
  readonly disabled?: Disabled | null
  readonly lowBalanceAt?: MicroCredits | null
  /** All of them; an empty list for none. */
  readonly groups?: readonly string[]
}

/** The profile after a change, and the name that this change replaced, if it gave another one. */
export type ChangedProfile = Profile & { readonly usernameBefore?: string }

/**
 * Undefined where the change is refused: a user who is being deleted is changed by the end of the
 * deletion alone, and a deleted one by nothing.
 */
export function changedProfile(profile: Profile, to: ProfileChange): ChangedProfile | undefined {
  const before = profile.disabled?.state
  const changes = Object.keys(to).length > 0
  if (changes && before === 'deleted') return undefined
  const after = to.disabled?.state
  if (changes && before === 'deleting' && after !== 'deleting' && after !== 'deleted') {
    return undefined
  }
  const { disabled, groups = [], identity, lowBalanceAt, ...rest } = profile
  const inGroups = to.groups ?? groups
  return {
    ...rest,
    ...renamed(profile.username, to.username),
    ...(to.tier === undefined ? {} : { tier: to.tier }),
    ...named('disabled', to.disabled, disabled),
    ...named('identity', to.identity, identity),
    ...named('lowBalanceAt', to.lowBalanceAt, lowBalanceAt),
    ...(inGroups.length === 0 ? {} : { groups: inGroups }),
  }
}

function renamed(before: string, to: string | undefined) {
  return to === undefined || to === before ? {} : { username: to, usernameBefore: before }
}

function named<K extends string, V>(
  key: K,
  to: V | null | undefined,
  before: V | undefined,
): { readonly [name in K]?: V } {
  const value = to === undefined ? before : (to ?? undefined)
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in K]?: V }
}
