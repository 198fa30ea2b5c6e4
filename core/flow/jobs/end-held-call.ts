/**
 * Ends a call in the ledger whose process is gone, by the hold that its user's profile has:
 * settled, or refunded for a reason. Bound by ADR 0110.
 *
 *   settled ─▶ release      healed or voided before: that outcome stands, and the call is free
 */
import type { CallFacts } from '../../ledger/call-facts.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import type { CallFailure } from '../execute/check-result.ts'
import { settleCall } from '../execute/settle-call.ts'

type HeldElsewhere = {
  readonly callId: string
  readonly uid: string
  readonly username: string
  readonly skillId: string
  readonly source: SkillSource
  readonly version: number
  readonly startedAtMs: number
  readonly facts: CallFacts
  readonly profile: Profile | undefined
  /** Undefined for a success, which is charged. */
  readonly failure: CallFailure['code'] | undefined
}

/** Does nothing without a hold: its call has ended. Throws `Fault` if the store fails. */
export async function endHeldCall(
  ports: Pick<Ports, 'clock' | 'ledger' | 'log'>,
  call: HeldElsewhere,
): Promise<void> {
  const { callId, facts, failure, profile, skillId, source, startedAtMs, uid, username } = call
  const hold = profile?.holds[callId]
  if (hold === undefined) return
  const { amount, counted, placement } = hold
  const durationMs = ports.clock.nowMs() - startedAtMs
  const placed = { uid, callId, skillId, source, skillVersion: call.version, amount, placement }
  const ending = { upstreamStatus: undefined, durationMs }
  const end = await settleCall(
    ports,
    { ...placed, counted, createdAtMs: startedAtMs, facts },
    failure === undefined
      ? { ...ending, state: 'settled' }
      : { ...ending, state: 'refunded', reason: failure },
  )
  const refunded = end.isPaid ? 0 : amount
  ports.log.call({
    callId,
    uid,
    username,
    skillId,
    source,
    durationMs,
    refunded,
    outcome: amount === 0 ? 'free' : end.isPaid ? 'settled' : 'refunded',
    code: failure,
    upstreamStatus: undefined,
    upstreamMs: undefined,
    held: amount,
    charged: amount,
    remaining: end.profile?.credits ?? 0,
  })
}
