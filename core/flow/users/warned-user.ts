/** A changed user as administrators see it, with warnings of probable mistakes. */
import type { UserView } from './user-view.ts'

export type WarnedUser = UserView & { readonly warnings?: readonly string[] }

/** Adds warnings after those that the user already has. */
export function withWarnings<T extends WarnedUser>(
  user: T,
  warnings: readonly string[],
): T & WarnedUser {
  return { ...user, warnings: [...(user.warnings ?? []), ...warnings] }
}
