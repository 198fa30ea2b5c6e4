/** answer:{id}/head as an item: who claims the id, and the time at which the answer was stored. */
import { ANSWER_TTL_SEC, type AnswerClaim } from '../../../core/call/idempotency.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import { answerKey } from '../table.ts'

/** `whole`: the answer is stored in `parts` pieces, the first of them in the head. */
export const KEPT_STATES = ['whole', 'too_large'] as const

export function claimItem(claim: AnswerClaim): Item {
  return { ...answerKey(claim.id), ...claim, ttl: answerTtlSec(claim.claimedAtMs) }
}

export function claimFrom(item: Item): AnswerClaim {
  return {
    id: textAt(item, 'id'),
    bodyHash: textAt(item, 'bodyHash'),
    keyHash: textAt(item, 'keyHash'),
    uid: textAt(item, 'uid'),
    callId: textAt(item, 'callId'),
    writeToken: textAt(item, 'writeToken'),
    claimedAtMs: intAt(item, 'claimedAtMs'),
  }
}

export function answerTtlSec(fromMs: number): number {
  return Math.ceil(fromMs / 1_000) + ANSWER_TTL_SEC
}
