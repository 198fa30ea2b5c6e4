/** In-memory twin of the port SecretStore: as sealed as the store, and always as new. */
import type { SecretStore } from '../../core/ports.ts'
import { SECRETS_MAX } from '../../core/secrets/limits.ts'
import { GLOBAL } from '../../core/secrets/secret.ts'
import { byPlace, type SecretPlace } from '../../core/secrets/secret-place.ts'
import type { Cells } from './database.ts'

export function memorySecrets(cells: Cells): SecretStore {
  return {
    find: async ({ uid, skillId, names }) =>
      [skillId, undefined].flatMap((owner) =>
        names.flatMap((name) => cells.secrets.get(uid, sortOf({ name, skillId: owner })) ?? []),
      ),
    put: async ({ uid, ...secret }) => {
      const sort = sortOf(secret)
      const beside = cells.secrets.list(uid).filter((one) => one.skillId === secret.skillId)
      const isNew = cells.secrets.get(uid, sort) === undefined
      if (isNew && beside.length >= SECRETS_MAX) return 'too_many'
      cells.secrets.put(uid, sort, secret)
      return 'stored'
    },
    remove: async ({ uid, ...place }) => {
      const sort = sortOf(place)
      if (cells.secrets.get(uid, sort) === undefined) return false
      cells.secrets.remove(uid, sort)
      return true
    },
    list: async (uid) =>
      cells.secrets
        .list(uid)
        .map(({ name, skillId, updatedAtMs }) => ({ name, skillId, updatedAtMs }))
        .sort(byPlace),
  }
}

/** Neither part has a space. */
function sortOf({ name, skillId }: SecretPlace): string {
  return `${skillId ?? GLOBAL} ${name}`
}
