/** In-memory twin of the port SecretStore: as sealed as the store, and always as new. */
import type { SecretStore } from '../../core/ports.ts'
import { SECRETS_MAX } from '../../core/secrets/limits.ts'
import { byPlace } from '../../core/secrets/secret-place.ts'
import type { Database } from './database.ts'
import { sortOf } from './secret-sort.ts'
import { sharedSecretsIn } from './shared-secrets.ts'

export function memorySecrets(database: Database): SecretStore {
  return {
    find: async (wanted) => {
      const { names, skillId, uid, withShared } = wanted
      const own = [skillId, undefined].flatMap((owner) =>
        names.flatMap((name) => database.secrets.get(uid, sortOf({ name, skillId: owner })) ?? []),
      )
      return withShared === true ? [...own, ...sharedSecretsIn(database, wanted)] : own
    },
    put: async ({ uid, ...secret }) => {
      const sort = sortOf(secret)
      const beside = database.secrets.list(uid).filter((one) => one.skillId === secret.skillId)
      const isNew = database.secrets.get(uid, sort) === undefined
      if (isNew && beside.length >= SECRETS_MAX) return 'too_many'
      database.secrets.put(uid, sort, secret)
      return 'stored'
    },
    remove: async ({ uid, ...place }) => {
      const sort = sortOf(place)
      if (database.secrets.get(uid, sort) === undefined) return false
      database.secrets.remove(uid, sort)
      return true
    },
    list: async (uid) =>
      database.secrets
        .list(uid)
        .map(({ sealed: _sealed, ...shown }) => shown)
        .sort(byPlace),
  }
}
