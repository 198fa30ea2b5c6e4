/** Makes a settled call free, inside the caller's transaction. */
import type { Outcome } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import { holdOf } from './holds.ts'
import type { Books } from './ledger.ts'

/** Takes the hold along if it is still there, so that no later release pays a second time. */
export function turnIntoRefund(
  { outcomes, profiles }: Books,
  { uid, callId, reason, nowMs }: Parameters<Ledger['voidSettled']>[0],
): Outcome | undefined {
  const outcome = outcomes.find(uid, callId)
  if (outcome === undefined || outcome.state === 'refunded') return outcome
  const profile = profiles.find(uid)
  // Nobody is left to give anything back to.
  if (profile === undefined) return outcome
  const voided: Outcome = { ...outcome, state: 'refunded', reason, endedAtMs: nowMs }
  const hold = holdOf(profile, callId)
  // A hold that the outcome is not about is a late duplicate: its credits come back as well.
  const duplicate = hold === undefined || hold.placement === outcome.placement ? 0 : hold.amount
  outcomes.refund(voided)
  profiles.end(profile, callId, profile.credits + outcome.amount + duplicate)
  return voided
}
