/** The facts of an ended call in three forms: for the ledger, for the answer and for the log. */
import type { CallCredits } from '../../call/execute.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { CallLine } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import { toCallFacts } from './call-origin.ts'
import type { HeldCall } from './reserve-call.ts'
import type { UpstreamStats } from './run-with-deadline.ts'
import type { PlacedCall } from './settle-call.ts'
import type { ReadyCall } from './validate-call.ts'

/** The call as the ledger takes it. A call without a hold has the placement 0. */
export function toPlacedCall(
  { call, origin, profile }: HeldCall,
  stats: UpstreamStats,
  durationMs: number,
): PlacedCall {
  const hold = profile.holds[call.callId]
  return {
    uid: call.principal.uid,
    callId: call.callId,
    skillId: call.skill.skillId,
    source: call.skill.source,
    skillVersion: call.record.version,
    amount: call.skill.priceMicroCredits,
    placement: hold?.placement ?? 0,
    counted: hold?.counted,
    createdAtMs: call.startedAtMs,
    facts: toCallFacts(call, origin, stats, durationMs),
  }
}

/** Turns micro-credits into the credits of an answer. */
export function toCallCredits(
  charged: MicroCredits,
  refunded: MicroCredits,
  remaining: MicroCredits,
): CallCredits {
  return {
    charged: toCreditsNumber(charged),
    refunded: toCreditsNumber(refunded),
    remaining: toCreditsNumber(remaining),
  }
}

/** Logs an ended call. `end` has micro-credits and milliseconds. */
export function logCall(
  ports: Pick<Ports, 'log'>,
  call: ReadyCall,
  end: Pick<CallLine, 'code' | 'durationMs' | 'held' | 'refunded' | 'remaining'>,
  { secretsUsed, upstreamMs, upstreamStatus }: UpstreamStats,
): void {
  const price = call.skill.priceMicroCredits
  const outcome = price === 0 ? 'free' : end.refunded > 0 ? 'refunded' : 'settled'
  ports.log.call({
    callId: call.callId,
    uid: call.principal.uid,
    username: call.principal.username,
    skillId: call.skill.skillId,
    source: call.skill.source,
    outcome,
    charged: price,
    upstreamMs,
    upstreamStatus,
    ...(secretsUsed === undefined ? {} : { secretsUsed }),
    ...end,
  })
}
