/** A changed user as its administrator is shown it, with warnings of probable mistakes. */
import type { UserView } from './user-view.ts'

export type WarnedUser = UserView & { readonly warnings?: readonly string[] }

/** After the warnings that the user has already. */
export function withWarnings<T extends WarnedUser>(
  user: T,
  warnings: readonly string[],
): T & WarnedUser {
  return { ...user, warnings: [...(user.warnings ?? []), ...warnings] }
}
