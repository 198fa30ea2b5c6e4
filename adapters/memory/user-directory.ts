/** In-memory twin of the port UserDirectory: walks all profiles, since a test has a few. */
import { byUserPlace, isListed, listedOf, placeOf } from '../../core/access/user-directory.ts'
import { foldedIdentity } from '../../core/access/user-names.ts'
import type { UserDirectory } from '../../core/ports.ts'
import type { Database } from './database.ts'

export function memoryUserDirectory({ identities, profiles }: Database): UserDirectory {
  return {
    page: async ({ after, limit, prefix, ...filter }) => {
      const found = [...profiles.all()]
        .map(listedOf)
        .filter((user) => isListed(user, filter) && placeOf(user).name.startsWith(prefix))
        .filter((user) => after === undefined || byUserPlace(placeOf(user), after) > 0)
        .sort((a, b) => byUserPlace(placeOf(a), placeOf(b)))
      const users = found.slice(0, limit)
      const last = users.at(-1)
      const isCut = last !== undefined && found.length > limit
      return { users, next: isCut ? placeOf(last) : undefined }
    },
    uidOf: async (identity) => identities.get(foldedIdentity(identity), '-')?.uid,
  }
}
