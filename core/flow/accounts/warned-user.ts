/** A user as the administrator who changed it is shown it: with what is probably a mistake. */
import type { UserView } from './manage-users.ts'

export type WarnedUser = UserView & { readonly warnings?: readonly string[] }

/** After the warnings that the user has already. */
export function withWarnings<T extends WarnedUser>(
  user: T,
  warnings: readonly string[],
): T & WarnedUser {
  return { ...user, warnings: [...(user.warnings ?? []), ...warnings] }
}
