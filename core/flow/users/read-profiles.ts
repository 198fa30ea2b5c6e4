/** Reads the profiles of listed users, in batches that the store answers at once. */
import type { Profile } from '../../ledger/ledger.ts'
import { PROFILES_READ_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'

/** Batches that wait for the store at the same time. */
const BATCHES_AT_ONCE = 10

/** The profiles by uid; a user without a profile is left out. The uids are all different. */
export async function readProfiles(
  { profiles }: { readonly profiles: Pick<Ports['profiles'], 'readAll'> },
  uids: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  const found = new Map<string, Profile>()
  const step = PROFILES_READ_MAX * BATCHES_AT_ONCE
  for (let from = 0; from < uids.length; from += step) {
    const batches: Promise<ReadonlyMap<string, Profile>>[] = []
    for (let at = from; at < Math.min(from + step, uids.length); at += PROFILES_READ_MAX) {
      batches.push(profiles.readAll(uids.slice(at, Math.min(at + PROFILES_READ_MAX, from + step))))
    }
    for (const batch of await Promise.all(batches)) {
      for (const [uid, profile] of batch) found.set(uid, profile)
    }
  }
  return found
}
