/** A changed user as administrators see it, with warnings of probable mistakes. */

import { ok, type Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import type { UserView } from './user-view.ts'

export type WarnedUser = UserView & { readonly warnings?: readonly string[] }

/** Adds warnings after those that the user already has. */
export function addWarnings<T extends WarnedUser>(
  user: T,
  warnings: readonly string[],
): T & WarnedUser {
  return { ...user, warnings: [...(user.warnings ?? []), ...warnings] }
}

/**
 * Warns of a user's tier that no setting names. Such a user has the limits of free, and the name is
 * nearly always a typing error. It is not refused, so that users can be moved before the setting is
 * deployed. Adds the warning to a user whose change succeeded.
 */
export function addTierWarning(
  { tiers }: Pick<Settings, 'tiers'>,
  user: Result<WarnedUser>,
): Result<WarnedUser> {
  if (!user.ok || Object.hasOwn(tiers, user.value.tier)) return user
  const known = Object.keys(tiers).join(', ')
  const warning = `tier: ${user.value.tier} has the limits of free, since no setting names it. Tiers with limits: ${known}; TIER_LIMITS adds one.`
  return ok(addWarnings(user.value, [warning]))
}
