/** In-memory twin of the port SharedSecrets, and the shared secrets that `SecretStore` finds. */
import type { SecretStore, SharedSecrets } from '../../core/ports.ts'
import { SHARED_SECRETS_MAX } from '../../core/secrets/limits.ts'
import type { FoundSecret } from '../../core/secrets/secret.ts'
import { byPlace } from '../../core/secrets/secret-place.ts'
import { type Database, ONLY } from './database.ts'
import { sortOf } from './secret-sort.ts'

export function memorySharedSecrets({ secretUses, sharedSecrets }: Database): SharedSecrets {
  return {
    put: async (secret, keepPreviousUntilMs) => {
      const before = sharedSecrets.get(ONLY, sortOf(secret))
      const beside = sharedSecrets.list(ONLY).filter((one) => one.skillId === secret.skillId)
      if (before === undefined && beside.length >= SHARED_SECRETS_MAX) return 'too_many'
      const previous =
        before === undefined || keepPreviousUntilMs === undefined
          ? {}
          : {
              previous: {
                sealed: before.sealed,
                binding: before.binding,
                untilMs: keepPreviousUntilMs,
              },
            }
      sharedSecrets.put(ONLY, sortOf(secret), { ...secret, ...previous })
      return 'stored'
    },
    remove: async (place) => {
      if (sharedSecrets.get(ONLY, sortOf(place)) === undefined) return false
      sharedSecrets.remove(ONLY, sortOf(place))
      return true
    },
    list: async () =>
      sharedSecrets
        .list(ONLY)
        .map(({ previous, sealed: _sealed, ...date }) => ({
          ...date,
          previousUntilMs: previous?.untilMs,
          lastUsedDay: secretUses.get(ONLY, sortOf(date))?.day,
        }))
        .sort(byPlace),
    noteUse: async ({ day, ...place }) => {
      const before = secretUses.get(ONLY, sortOf(place))?.day ?? 0
      secretUses.put(ONLY, sortOf(place), { day: Math.max(day, before) })
    },
  }
}

export function sharedSecretsIn(
  { sharedSecrets }: Database,
  { names, skillId }: Parameters<SecretStore['find']>[0],
): readonly FoundSecret[] {
  return [skillId, undefined].flatMap((owner) =>
    names.flatMap((name) => {
      const found = sharedSecrets.get(ONLY, sortOf({ name, skillId: owner }))
      if (found === undefined) return []
      const { setBy: _setBy, ...secret } = found
      return { ...secret, isShared: true as const }
    }),
  )
}
