/**
 * Profiles that this connection has read or written, by user. An entry is valid while the database's epoch
 * stays the same: no other connection has committed since, and no transaction of this one was rolled back.
 */
import { keepYoungest } from '../../../core/cache/keep-youngest.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'

/** `placed`: the number of the user's last hold. */
export type KnownProfile = { readonly profile: Profile; readonly placed: number }

export type KnownProfiles = {
  /** Undefined when it must be read. */
  of(uid: string, epoch: number): KnownProfile | undefined
  keep(known: KnownProfile, epoch: number): void
  forget(uid: string): void
}

/** Users at once: 300 bytes each and as much for a hold. The one kept longest ago goes first. */
export const KNOWN_USERS_MAX = 2_000

export function knownProfiles(): KnownProfiles {
  const known = new Map<string, KnownProfile & { readonly epoch: number }>()
  return {
    of: (uid, epoch) => {
      const found = known.get(uid)
      return found?.epoch === epoch ? found : undefined
    },
    keep: ({ placed, profile }, epoch) =>
      keepYoungest(known, profile.uid, { epoch, profile, placed }, KNOWN_USERS_MAX),
    forget: (uid) => void known.delete(uid),
  }
}
