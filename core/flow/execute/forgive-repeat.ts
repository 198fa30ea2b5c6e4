/**
 * Makes the second of two equal calls free, behind its answer, for skills with `config.repeat`. The
 * answer has said `charged` by then; the ledger, the usage and the next balance tell the truth. Other
 * calls read and write nothing here. Every doubt ends with a charge: an outcome that is not written
 * yet, more than EQUAL_CALLS_READ_MAX calls between the two, or a store that fails. Bound by
 * docs/service.md, Equal calls; the race is drawn above the write (adapters/dynamodb/ledger/ledger-void.ts).
 */
import { canForgive, EQUAL_CALLS_READ_MAX } from '../../ledger/equal-calls.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HeldCall } from './reserve-call.ts'

/** For a call that was charged. Never throws. */
export async function forgiveRepeat(
  ports: Pick<Ports, 'clock' | 'ledger' | 'log'>,
  { call, origin: { fingerprint } }: Pick<HeldCall, 'call' | 'origin'>,
): Promise<void> {
  const { repeat } = call.skill
  if (repeat === undefined || fingerprint === undefined) return
  const { callId, startedAtMs } = call
  const { uid } = call.principal
  const later = { arrivedAtMs: startedAtMs, fingerprint, withinSec: repeat.forgiveWithinSec }
  try {
    const page = await ports.ledger.list({ uid, before: callId, limit: EQUAL_CALLS_READ_MAX })
    for (const earlier of page.outcomes.filter((outcome) => canForgive(outcome, later))) {
      const nowMs = ports.clock.nowMs()
      const isForgiven = await ports.ledger.forgive({ uid, callId, paidBy: earlier.callId, nowMs })
      if (!isForgiven) continue
      const amount = call.skill.priceMicroCredits
      ports.log.note('info', 'repeat-forgiven', { uid, callId, paidBy: earlier.callId, amount })
      return
    }
  } catch (cause) {
    ports.log.note('warn', 'repeat-not-forgiven', { uid, callId }, cause)
  }
}
