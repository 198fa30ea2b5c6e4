/**
 * Makes the second of two equal calls free, for skills with `config.repeat`. This runs after the
 * answer of the second call was sent, so that answer says `charged`; the ledger, the usage and the
 * next balance show the refund. Calls of other skills read and write nothing here. In doubt the
 * call stays charged: the earlier outcome is not written yet, more than EQUAL_CALLS_READ_MAX calls
 * lie between the two, or the store fails. Bound by docs/service.md, Equal calls. The race is drawn
 * above the write in adapters/dynamodb/ledger/ledger-void.ts.
 */
import { canForgive, EQUAL_CALLS_READ_MAX, type LaterCall } from '../../ledger/equal-calls.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * Gives back the price of `later`, a charged call, if an equal call was charged before. Never
 * throws.
 */
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
