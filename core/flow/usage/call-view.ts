/** A call as administrators see it. Amounts are decimals of credits. */
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { CallDoor } from '../../ledger/call-facts.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { type CallRow, computeCharge } from '../../usage/call-row.ts'

export type CallView = {
  readonly callId: string
  readonly uid: string
  readonly skillId?: string
  readonly source?: SkillSource
  readonly skillVersion?: number
  readonly outcome: CallRow['state']
  readonly reason?: RefundReason
  readonly price: number
  readonly charged: number
  readonly startedAtMs: number
  readonly durationMs: number
  readonly upstreamStatus?: number
  readonly keyId?: string
  readonly door?: CallDoor
}

/** The call of a row. */
export function toCallView(row: CallRow): CallView {
  const { callId, createdAtMs, door, durationMs, keyId, reason, uid, upstreamStatus } = row
  const { amount, skillId, skillVersion, source, state } = row
  return {
    callId,
    uid,
    ...(skillId === '' ? {} : { skillId, source }),
    ...(skillVersion === 0 ? {} : { skillVersion }),
    outcome: state,
    ...(reason === undefined ? {} : { reason }),
    price: toCreditsNumber(amount),
    charged: toCreditsNumber(computeCharge(row)),
    startedAtMs: createdAtMs,
    durationMs,
    ...(upstreamStatus === undefined ? {} : { upstreamStatus }),
    ...(keyId === undefined ? {} : { keyId }),
    ...(door === undefined ? {} : { door }),
  }
}
