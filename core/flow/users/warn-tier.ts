/**
 * Warns of a user's tier that no setting names. Such a user has the limits of free, and the name is
 * nearly always a typing error. It is not refused, so that users can be moved before the setting is
 * deployed.
 */
import { ok, type Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { type WarnedUser, withWarnings } from './warned-user.ts'

/** Adds the warning to a user whose change succeeded. */
export function withTierWarning(
  { tiers }: Pick<Settings, 'tiers'>,
  user: Result<WarnedUser>,
): Result<WarnedUser> {
  if (!user.ok || Object.hasOwn(tiers, user.value.tier)) return user
  const known = Object.keys(tiers).join(', ')
  const warning = `tier: ${user.value.tier} has the limits of free, since no setting names it. Tiers with limits: ${known}; TIER_LIMITS adds one.`
  return ok(withWarnings(user.value, [warning]))
}
