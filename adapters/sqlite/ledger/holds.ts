/** Places and ends holds, inside the caller's transaction. */
import type { Hold, HoldAnswer, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { Books } from './ledger.ts'

/**
 * Sent again with its own token: held, nothing is taken twice. Another token on the same call:
 * another attempt runs or ran, so this one must not. Nothing changes on a refusal.
 */
export function placeHold(
  { profiles }: Books,
  { uid, callId, hold, holdsMax }: Parameters<Ledger['hold']>[0],
): HoldAnswer {
  const profile = profiles.find(uid)
  if (profile === undefined) return { kind: 'refused', why: 'no_profile', profile }
  if (Object.hasOwn(profile.holds, callId)) {
    if (profile.holds[callId]?.writeToken === hold.writeToken) return { kind: 'held', profile }
    return { kind: 'refused', why: 'already_held', profile }
  }
  if (profile.credits < hold.amount)
    return { kind: 'refused', why: 'insufficient_credits', profile }
  if (Object.keys(profile.holds).length >= holdsMax) {
    return { kind: 'refused', why: 'too_many_holds', profile }
  }
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
