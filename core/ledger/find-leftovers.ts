/**
 * Looks which holds of a profile are of charged calls, for whoever shows or counts holds.
 *
 *   profile is read ─▶ outcomes of its oldest holds are read ─▶ those that are settled have ended
 * A call that settles between the two reads has ended, too: its end changes nothing else of the profile. One that is
 * voided in between still stands, as it did when the profile was read.
 */
import type { Ports } from '../ports.ts'
import type { Profile } from './ledger.ts'
import { oldestHolds, type StandingProfile, standing } from './leftovers.ts'

export type FindNeeds = { readonly ledger: Pick<Ports['ledger'], 'find'> }

/** Costs at most LEFTOVERS_MAX reads at once, and none where the profile has no hold. */
export async function standingNow(
  { ledger }: FindNeeds,
  profile: Profile,
): Promise<StandingProfile> {
  const { holds, uid } = profile
  const found = await Promise.all(oldestHolds(holds).map((callId) => ledger.find({ uid, callId })))
  return standing(
    profile,
    found.filter((outcome) => outcome !== undefined),
  )
}
