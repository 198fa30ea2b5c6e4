/** Makes a settled call free, inside the caller's transaction. */
import type { Outcome } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { Books } from './books.ts'
import { holdOf, refundOf } from './holds.ts'

/** Removes the hold too if it still exists, so that no later release gives its credits back again. */
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
  const duplicate = hold?.placement === outcome.placement ? undefined : hold
  outcomes.refund(voided)
  const paid = refundOf(profile, outcome)
  const all = duplicate === undefined ? paid : refundOf({ ...profile, ...paid }, duplicate)
  profiles.end(profile, callId, { ...paid, ...all })
  return voided
}
