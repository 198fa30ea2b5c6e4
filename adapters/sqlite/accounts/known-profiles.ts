/**
 * Profiles that this connection has read or written, by user. An entry is valid while the database's epoch
 * stays the same: no other connection has committed since, and no transaction of this one was rolled back.
 */
import { keepYoungest } from '../../../core/cache/keep-youngest.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'

export type KnownProfiles = {
  /** Undefined when it must be read. */
  of(uid: string, epoch: number): Profile | undefined
  keep(profile: Profile, epoch: number): void
  forget(uid: string): void
}

/** Users at once: 300 bytes each and as much for a hold. The one kept longest ago goes first. */
export const KNOWN_USERS_MAX = 2_000

export function knownProfiles(): KnownProfiles {
  const known = new Map<string, { readonly epoch: number; readonly profile: Profile }>()
  return {
    of: (uid, epoch) => {
      const found = known.get(uid)
      return found?.epoch === epoch ? found.profile : undefined
    },
    keep: (profile, epoch) => keepYoungest(known, profile.uid, { epoch, profile }, KNOWN_USERS_MAX),
    forget: (uid) => void known.delete(uid),
  }
}
