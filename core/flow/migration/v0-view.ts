/**
 * Shows users of the earlier service at the doors that may not move them: each user looks as after
 * the move. Writes nothing. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import type { Principal } from '../../access/principal.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { readV0Credits, toV0Profile } from '../../ledger/v0.ts'
import type { V0Records } from '../../ports/users.ts'

/** A user who has only an old key is shown as a free user until the sweep creates the profile. */
export function withUnmovedProfile(
  { v0, uid }: Principal,
  profile: Profile | undefined,
): Profile | undefined {
  if (profile !== undefined || v0 === undefined) return profile
  const unmoved = toV0Profile({ uid, tier: 'free', credits: 0, nowMs: 0 })
  return { ...unmoved, v0: 'unmoved' }
}

/**
 * Adds credits that the earlier service wrote late and no move has added yet. Only moved users cost
 * this one more read.
 */
export async function addLateCredits(
  ports: { readonly v0: Pick<V0Records, 'read'> },
  profile: Profile,
): Promise<Profile> {
  if (profile.v0 !== 'moved') return profile
  const now = await ports.v0.read(profile.uid)
  const late = now.credits === undefined ? undefined : readV0Credits(now.credits)
  const current = now.profile ?? profile
  return late?.ok === true ? { ...current, credits: current.credits + late.value.whole } : current
}
