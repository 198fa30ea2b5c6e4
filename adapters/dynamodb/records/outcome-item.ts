/** ledger:{uid}/{callId}: the outcome of a call as an item. Grants share the partition. */
import { readFacts, writeFacts } from '../../../core/ledger/call-facts.ts'
import { type Outcome, REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
import {
  creditsAt,
  type Item,
  intAt,
  optionalIntAt,
  optionalTextAt,
  textAt,
  wordAt,
} from '../client/item.ts'
import { ledgerKey } from '../table.ts'
import { fromCountedMember, toCountedMember } from './budget-item.ts'

/**
 * The item expires `hotMs` after its call began; the archive has it by then. Grants never expire.
 */
export function toOutcomeItem(outcome: Outcome, hotMs = LEDGER_HOT_MS_DEFAULT): Item {
  const { facts, ...record } = outcome
  return {
    ...ledgerKey(outcome.uid, outcome.callId),
    ...record,
    ...(facts === undefined ? {} : { facts: writeFacts(facts) }),
    amount: toStoredCredits(outcome.amount),
    ...toCountedMember(outcome.counted),
    ttl: Math.ceil((outcome.createdAtMs + hotMs) / 1_000),
  }
}

export function fromOutcomeItem(item: Item): Outcome {
  const facts = readFacts(optionalTextAt(item, 'facts') ?? '')
  return {
    uid: textAt(item, 'uid'),
    callId: textAt(item, 'callId'),
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
    skillVersion: intAt(item, 'skillVersion'),
    state: wordAt(item, 'state', ['settled', 'refunded']),
    reason: item['reason'] === undefined ? undefined : wordAt(item, 'reason', REFUND_REASONS),
    amount: creditsAt(item, 'amount'),
    placement: intAt(item, 'placement'),
    createdAtMs: intAt(item, 'createdAtMs'),
    endedAtMs: intAt(item, 'endedAtMs'),
    durationMs: intAt(item, 'durationMs'),
    upstreamStatus: optionalIntAt(item, 'upstreamStatus'),
    ...(facts === undefined ? {} : { facts }),
    ...(item['forgave'] === undefined ? {} : { forgave: textAt(item, 'forgave') }),
    ...fromCountedMember(item),
    ...(item['chargeStays'] === true ? { chargeStays: true } : {}),
  }
}
