/**
 * One ended call with the facts of its outcome that lists and sums need. A call moves from settled
 * to refunded at most once, so of two rows of a call the refunded one is the later (ADR 0048).
 */
import type { CallDoor } from '../ledger/call-facts.ts'
import type { MicroCredits, Outcome, RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'

export type CallRow = {
  readonly callId: string
  readonly uid: string
  /** '' if the call was voided before its skill was known. */
  readonly skillId: string
  readonly source: SkillSource
  readonly skillVersion: number
  readonly state: Outcome['state']
  readonly reason: RefundReason | undefined
  readonly amount: MicroCredits
  readonly createdAtMs: number
  readonly durationMs: number
  readonly upstreamStatus: number | undefined
  readonly keyId: string | undefined
  readonly door: CallDoor | undefined
}

/** The row of an outcome. */
export function rowOf(outcome: Outcome): CallRow {
  const { amount, callId, createdAtMs, durationMs, facts, reason } = outcome
  const { skillId, skillVersion, source, state, uid, upstreamStatus } = outcome
  return {
    callId,
    uid,
    skillId,
    source,
    skillVersion,
    state,
    reason,
    amount,
    createdAtMs,
    durationMs,
    upstreamStatus,
    keyId: facts?.keyId,
    door: facts?.door,
  }
}

/** Micro-credits that the call cost in the end. */
export function chargedFor({ amount, state }: Pick<CallRow, 'amount' | 'state'>): MicroCredits {
  return state === 'settled' ? amount : 0
}
