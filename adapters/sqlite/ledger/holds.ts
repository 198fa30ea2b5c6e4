/** Places and ends holds, inside the caller's transaction. */
import { countCall, giveBack } from '../../../core/ledger/budget.ts'
import { judgeHold } from '../../../core/ledger/judge-hold.ts'
import type { Hold, HoldAnswer, Outcome, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { Money } from '../accounts/profile-rows.ts'
import type { Books } from './books.ts'

/** Nothing changes on a refusal, or when the hold stands already. */
export function placeHold({ profiles }: Books, request: Parameters<Ledger['hold']>[0]): HoldAnswer {
  const { uid, callId, hold, keyHash } = request
  const judged = judgeHold(profiles.find(uid), request)
  if (judged.kind !== 'open') return judged
  const { profile } = judged
  const { after, counted } = countCall(profile, { ...hold, keyHash })
  const placed = counted === undefined ? hold : { ...hold, counted }
  const money = { ...after, credits: profile.credits - hold.amount }
  return { kind: 'held', profile: profiles.place(profile, callId, placed, money) }
}

export function releaseHold(
  { profiles }: Books,
  { uid, callId, giveBack: isGivenBack, placement }: Parameters<Ledger['release']>[0],
): Profile | undefined {
  const profile = profiles.find(uid)
  const hold = holdOf(profile, callId)
  if (profile === undefined || hold === undefined) return profile
  if (placement !== undefined && hold.placement !== placement) return profile
  const { credits } = profile
  return profiles.end(profile, callId, isGivenBack ? refundOf(profile, hold) : { credits })
}

/** Gives credits back, and room in the budgets that counted them. */
export function refundOf(profile: Profile, { amount, counted }: Refunded): Money {
  return { ...giveBack(profile, counted, amount), credits: profile.credits + amount }
}

type Refunded = Pick<Outcome, 'amount' | 'counted'>

export function holdOf(profile: Profile | undefined, callId: string): Hold | undefined {
  if (profile === undefined || !Object.hasOwn(profile.holds, callId)) return undefined
  return profile.holds[callId]
}
