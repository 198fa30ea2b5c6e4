/** Places and ends holds, inside the caller's transaction. */
import type { HoldAnswer, Profile } from '../../../core/ledger/ledger.ts'
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
  const placed = profiles.place(uid, callId, hold, credits)
  return {
    kind: 'held',
    profile: { ...profile, credits, holds: { ...profile.holds, [callId]: placed } },
  }
}

export function releaseHold(
  { profiles }: Books,
  { uid, callId, giveBack, placement }: Parameters<Ledger['release']>[0],
): Profile | undefined {
  const profile = profiles.find(uid)
  if (profile === undefined || !Object.hasOwn(profile.holds, callId)) return profile
  const { [callId]: hold, ...holds } = profile.holds
  if (hold === undefined) return profile
  if (placement !== undefined && hold.placement !== placement) return profile
  const credits = profile.credits + (giveBack ? hold.amount : 0)
  profiles.removeHold(uid, callId)
  if (giveBack) profiles.setCredits(uid, credits)
  return { ...profile, credits, holds }
}
