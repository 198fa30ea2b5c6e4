/**
 * Makes the second of two equal calls free, behind its answer, for skills with `config.repeat`. The
 * answer has said `charged` by then; the ledger, the usage and the next balance tell the truth. Other
 * calls read and write nothing here. Every doubt ends with a charge: an outcome that is not written
 * yet, more than EQUAL_CALLS_READ_MAX calls between the two, or a store that fails. Bound by
 * docs/service.md, Equal calls; the race is drawn above the write (adapters/dynamodb/ledger/ledger-void.ts).
 */
import { canForgive, EQUAL_CALLS_READ_MAX, type LaterCall } from '../../ledger/equal-calls.ts'
import type { Ports } from '../../ports/ports.ts'

/** For a call that was charged. Never throws. */
export async function forgiveRepeat(
  { clock, ledger, log }: Pick<Ports, 'clock' | 'ledger' | 'log'>,
  later: LaterCall & { readonly uid: string; readonly callId: string },
): Promise<void> {
  const { callId, uid } = later
  try {
    const page = await ledger.list({ uid, before: callId, limit: EQUAL_CALLS_READ_MAX })
    for (const earlier of page.outcomes.filter((outcome) => canForgive(outcome, later))) {
      const pair = { uid, callId, paidBy: earlier.callId }
      if (!(await ledger.forgive({ ...pair, nowMs: clock.nowMs() }))) continue
      log.note('info', 'repeat-forgiven', { ...pair, amount: earlier.amount })
      return
    }
  } catch (cause) {
    log.note('warn', 'repeat-not-forgiven', { uid, callId }, cause)
  }
}
