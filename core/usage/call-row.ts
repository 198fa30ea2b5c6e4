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
export function toCallRow(outcome: Outcome): CallRow {
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
export function computeCharge({ amount, state }: Pick<CallRow, 'amount' | 'state'>): MicroCredits {
  return state === 'settled' ? amount : 0
}

export type CallFilter = {
  readonly user: string | undefined
  readonly skill: string | undefined
  /** Only calls with this key. */
  readonly key?: string | undefined
  /** `settled`, `refunded`, or one reason of a refund. */
  readonly outcome: string | undefined
  /** Calls that started at or after this time… */
  readonly sinceMs: number
  /** …and before this one. */
  readonly untilMs: number
  readonly minMs: number
}

/** True if the filter allows the call. */
export function matchesCallFilter(row: CallRow, filter: CallFilter): boolean {
  const { key, minMs, outcome, sinceMs, skill, untilMs, user } = filter
  if (row.createdAtMs < sinceMs || row.createdAtMs >= untilMs) return false
  if (row.durationMs < minMs) return false
  if (user !== undefined && row.uid !== user) return false
  if (skill !== undefined && row.skillId !== skill) return false
  if (key !== undefined && row.keyId !== key) return false
  return outcome === undefined || row.state === outcome || row.reason === outcome
}
