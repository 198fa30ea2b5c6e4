/**
 * Shows users of the earlier service at the doors that may not move them: each as the move will
 * make the user. Writes nothing. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import type { Principal } from '../../access/principal.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { profileFromV0, readV0Credits } from '../../ledger/v0.ts'
import type { V0Records } from '../../ports/users.ts'

/** A user who has nothing but an old key counts as free, until the sweep has made the profile. */
export function profileOrUnmoved(
  { v0, uid }: Principal,
  profile: Profile | undefined,
): Profile | undefined {
  if (profile !== undefined || v0 === undefined) return profile
  const born = profileFromV0({ uid, tier: 'free', credits: 0, nowMs: 0 })
  return { ...born, v0: 'unmoved' }
}

/**
 * Adds credits that the earlier service added late and no move has folded in yet. One more read,
 * for moved users alone.
 */
export async function withLateCredits(
  ports: { readonly v0: Pick<V0Records, 'read'> },
  profile: Profile,
): Promise<Profile> {
  if (profile.v0 !== 'moved') return profile
  const now = await ports.v0.read(profile.uid)
  const late = now.credits === undefined ? undefined : readV0Credits(now.credits)
  const standing = now.profile ?? profile
  return late?.ok === true
    ? { ...standing, credits: standing.credits + late.value.whole }
    : standing
}
