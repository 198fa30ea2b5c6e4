/** Decides whether a profile allows a call to put its price on hold. */
import { countCall } from './budget.ts'
import { countTasks, isTask } from './hold-deadline.ts'
import { findUsedUpDay } from './key-days.ts'
import type { HoldAnswer, NewHold, Profile } from './ledger.ts'

/** The request to the store by which a call puts its price on hold. */
export type HoldRequest = {
  readonly uid: string
  readonly callId: string
  readonly hold: NewHold
  /** Limit of the user's holds of this kind: of tasks if the hold has `untilMs`, else of calls. */
  readonly holdsMax: number
  /** The key of the call, which may have a budget. */
  readonly keyHash?: string
  /** The key that issued the sub-key of the call, whose limits count the call too. */
  readonly parentHash?: string
  /**
   * The profile that the caller read last. The store may start with its budgets and save one try;
   * the answer is the same without it.
   */
  readonly seen?: Profile
}

/** `open`: the hold may be placed. */
export type HoldDecision = HoldAnswer | { readonly kind: 'open'; readonly profile: Profile }

/**
 * A hold of 0 belongs to a free call that a day counts. It needs no credits and no budget, even if
 * the user has a debt. An existing hold with the same write token means that the request was sent
 * twice, so it is the answer. Another write token is another attempt of the same call.
 */
export function decideHold(
  profile: Profile | undefined,
  request: Omit<HoldRequest, 'uid'>,
): HoldDecision {
  const { callId, hold, holdsMax, keyHash, parentHash } = request
  const counted = { ...hold, keyHash, parentHash }
  if (profile === undefined) return { kind: 'refused', why: 'no_profile', profile }
  if (Object.hasOwn(profile.holds, callId)) {
    if (profile.holds[callId]?.writeToken === hold.writeToken) return { kind: 'held', profile }
    return { kind: 'refused', why: 'already_held', profile }
  }
  if (profile.disabled !== undefined) return { kind: 'refused', why: 'disabled', profile }
  if (hold.amount > 0 && profile.credits < hold.amount) {
    return { kind: 'refused', why: 'insufficient_credits', profile }
  }
  if (countCall(profile, counted).reached !== undefined) {
    return { kind: 'refused', why: 'budget_reached', profile }
  }
  if (findUsedUpDay(profile, counted) !== undefined) {
    return { kind: 'refused', why: 'daily_calls_reached', profile }
  }
  const tasks = countTasks(profile)
  const ofKind = isTask(hold) ? tasks : Object.keys(profile.holds).length - tasks
  if (ofKind >= holdsMax) {
    return { kind: 'refused', why: 'too_many_holds', profile }
  }
  return { kind: 'open', profile }
}
