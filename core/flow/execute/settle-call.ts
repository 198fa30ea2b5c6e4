/**
 * Ends a call in the ledger: outcome, then release. Each is one write that can be repeated. Bound
 * by docs/service.md, Ledger.
 *
 *   hold ─▶ outcome (only the first is written) ─▶ release (gives back if the outcome is `refunded`)
 * - A process dies before the outcome: the sweep, or the user's next call, writes
 *   `refunded (crashed)`.
 * - A process dies between outcome and release: the sweep or the next call repeats the release by
 *   the written outcome.
 * - Two processes end the same call: both obey the first outcome, and the release ends the hold
 *   once.
 * - A hold whose placement differs from the outcome's is always given back, so a call is charged
 *   once. Such a hold comes from a second attempt of the same call id, or from a late duplicate of
 *   the write.
 */
import type { CallFacts } from '../../ledger/call-facts.ts'
import type { Counted, MicroCredits, Outcome, Profile, RefundReason } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'

type Needs = Pick<Ports, 'clock' | 'ledger'>

/** A call that may have a hold. */
export type PlacedCall = {
  readonly uid: string
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  readonly skillVersion: number
  readonly amount: MicroCredits
  /** Number of the call's hold; 0 if the call has none. */
  readonly placement: number
  /** The budgets that count the hold. */
  readonly counted?: Counted | undefined
  readonly createdAtMs: number
  readonly facts?: CallFacts
}

export type CallEnd = {
  readonly upstreamStatus: number | undefined
  readonly durationMs: number
} & ({ readonly state: 'settled' } | { readonly state: 'refunded'; readonly reason: RefundReason })

/**
 * Returns the outcome in the ledger, which may be that of an earlier attempt, the profile after the
 * release (undefined for a call without a hold or an unknown user), and whether this hold was
 * charged. Throws `Fault` if the store fails.
 */
export async function settleCall(
  ports: Needs,
  call: PlacedCall,
  ending: CallEnd,
): Promise<{ outcome: Outcome; profile: Profile | undefined; isPaid: boolean }> {
  const outcome = await ports.ledger.decide({
    ...call,
    state: ending.state,
    reason: ending.state === 'refunded' ? ending.reason : undefined,
    endedAtMs: ports.clock.nowMs(),
    durationMs: ending.durationMs,
    upstreamStatus: ending.upstreamStatus,
  })
  if (call.placement === 0) return { outcome, profile: undefined, isPaid: false }
  const { uid, callId, counted, placement } = call
  const isPaid = isPaidBy(outcome, placement)
  const release = { uid, callId, giveBack: !isPaid, placement, counted }
  return { outcome, profile: await ports.ledger.release(release), isPaid }
}

/** True if the outcome settles the hold with this placement: only then are its credits spent. */
function isPaidBy(outcome: Outcome, placement: number): boolean {
  return outcome.state === 'settled' && outcome.placement === placement
}
