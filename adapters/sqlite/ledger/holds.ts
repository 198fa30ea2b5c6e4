/** Places and ends holds, inside the caller's transaction. */
import { judgeHold } from '../../../core/ledger/judge-hold.ts'
import type { Hold, HoldAnswer, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { Books } from './books.ts'

/** Nothing changes on a refusal, or when the hold stands already. */
export function placeHold({ profiles }: Books, request: Parameters<Ledger['hold']>[0]): HoldAnswer {
  const { uid, callId, hold } = request
  const judged = judgeHold(profiles.find(uid), request)
  if (judged.kind !== 'open') return judged
  const { profile } = judged
  const credits = profile.credits - hold.amount
  return { kind: 'held', profile: profiles.place(profile, callId, hold, credits) }
}

export function releaseHold(
  { profiles }: Books,
  { uid, callId, giveBack, placement }: Parameters<Ledger['release']>[0],
): Profile | undefined {
  const profile = profiles.find(uid)
  const hold = holdOf(profile, callId)
  if (profile === undefined || hold === undefined) return profile
  if (placement !== undefined && hold.placement !== placement) return profile
  return profiles.end(profile, callId, profile.credits + (giveBack ? hold.amount : 0))
}

export function holdOf(profile: Profile | undefined, callId: string): Hold | undefined {
  if (profile === undefined || !Object.hasOwn(profile.holds, callId)) return undefined
  return profile.holds[callId]
}
