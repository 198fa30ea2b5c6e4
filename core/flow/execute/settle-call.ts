/**
 * Ends a call in the ledger: outcome, then release. Each is one write that can be repeated. Bound
 * by docs/service.md, Ledger.
 *
 *   hold ─▶ outcome (the first stands) ─▶ release (gives back only if the outcome is `refunded`)
 * Dies before the outcome: the sweep, or the user's next call, writes `refunded (crashed)`.
 * Dies between outcome and release: either of them repeats the release under the outcome that
 * stands.
 * Two callers race: both obey the outcome that stands, and the release ends the hold only once.
 * A hold with another placement than the outcome's is always given back, so that a call is charged
 * once. It comes from a second attempt of the same call id, or from a late duplicate of the hold.
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
  /** Number of its hold; 0 when it has none. */
  readonly placement: number
  /** The budgets that its hold was counted in. */
  readonly counted?: Counted | undefined
  readonly createdAtMs: number
  readonly facts?: CallFacts
}

export type CallEnd = {
  readonly upstreamStatus: number | undefined
  readonly durationMs: number
} & ({ readonly state: 'settled' } | { readonly state: 'refunded'; readonly reason: RefundReason })

/**
 * Returns the outcome that stands, the profile after the release (undefined for a free call, and for a user who is
 * unknown), and whether this call was charged.
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

/** True when the outcome settles this very hold: only then are its credits spent. */
function isPaidBy(outcome: Outcome, placement: number): boolean {
  return outcome.state === 'settled' && outcome.placement === placement
}
