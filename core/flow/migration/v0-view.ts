/**
 * What doors that may not move anything show of users of the earlier service: the user as the move will
 * make it. Writes nothing. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import type { Principal } from '../../access/principal.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { profileFromLegacy, readLegacyCredits } from '../../ledger/v0.ts'
import type { LegacyRecords } from '../../ports.ts'

/** A user of whom nothing but a key was kept is there too, until the sweep has made the profile. */
export function profileOrUnmoved(
  { legacy, uid }: Principal,
  profile: Profile | undefined,
): Profile | undefined {
  if (profile !== undefined || legacy === undefined) return profile
  const born = profileFromLegacy({ uid, tier: 'free', credits: 0, nowMs: 0 })
  return { ...born, legacy: 'unmoved' }
}

/** With what an old writer added and nobody has folded in yet: one more read for such users alone. */
export async function withLateCredits(
  ports: { readonly legacy: Pick<LegacyRecords, 'read'> },
  profile: Profile,
): Promise<Profile> {
  if (profile.legacy !== 'moved') return profile
  const now = await ports.legacy.read(profile.uid)
  const late = now.credits === undefined ? undefined : readLegacyCredits(now.credits)
  const standing = now.profile ?? profile
  return late?.ok === true
    ? { ...standing, credits: standing.credits + late.value.whole }
    : standing
}
