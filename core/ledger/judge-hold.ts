/** Whether a profile lets a call put its price on hold; the one rule that every store follows. */
import { countCall } from './budget.ts'
import { countTasks, isTask } from './hold-deadline.ts'
import type { HoldRequest } from './hold-request.ts'
import type { HoldAnswer, Profile } from './ledger.ts'

/** `open`: the hold may be placed. */
export type HoldJudgement = HoldAnswer | { readonly kind: 'open'; readonly profile: Profile }

/**
 * A hold that stands with the same write token is the answer to a
 * request that was sent twice; another write token is another attempt of the same call.
 */
export function judgeHold(
  profile: Profile | undefined,
  request: Omit<HoldRequest, 'uid'>,
): HoldJudgement {
  const { callId, hold, holdsMax, keyHash } = request
  if (profile === undefined) return { kind: 'refused', why: 'no_profile', profile }
  if (Object.hasOwn(profile.holds, callId)) {
    if (profile.holds[callId]?.writeToken === hold.writeToken) return { kind: 'held', profile }
    return { kind: 'refused', why: 'already_held', profile }
  }
  if (profile.disabled !== undefined) return { kind: 'refused', why: 'disabled', profile }
  if (profile.credits < hold.amount) {
    return { kind: 'refused', why: 'insufficient_credits', profile }
  }
  if (countCall(profile, { ...hold, keyHash }).reached !== undefined) {
    return { kind: 'refused', why: 'budget_reached', profile }
  }
  const tasks = countTasks(profile)
  const ofKind = isTask(hold) ? tasks : Object.keys(profile.holds).length - tasks
  if (ofKind >= holdsMax) {
    return { kind: 'refused', why: 'too_many_holds', profile }
  }
  return { kind: 'open', profile }
}
