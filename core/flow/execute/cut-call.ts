/**
 * Stops a running call: the time that its upstream has, the void that may end the call earlier, and
 * the failure that the caller gets. Bound by docs/service.md, Tool calls.
 */
import { DEADLINE_MARGIN_MS, VOID_WATCH_MS } from '../../call/limits.ts'
import type { CallFailure } from './check-result.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { TIMED_OUT } from './send-once.ts'
import type { ReadyCall } from './validate-call.ts'

type Cuttable = Pick<ReadyCall, 'callId' | 'deadlineMs' | 'principal' | 'skill' | 'untilMs'>

export type CutReason = typeof TIMED_OUT | 'cancelled'

/**
 * Milliseconds for the upstream: the skill's timeout, or less if the call's deadline comes first.
 * The margin before the deadline is for the refund and the answer.
 */
export function computeBudgetMs(ports: Pick<ExecuteNeeds, 'clock'>, call: Cuttable): number {
  const leftMs = call.deadlineMs - DEADLINE_MARGIN_MS - ports.clock.nowMs()
  return Math.max(1, Math.min(call.skill.timeoutMs, leftMs))
}

type Watch = {
  readonly budgetMs: number
  readonly alarm: ExecuteNeeds['clock']['alarm']
  stop(reason: CutReason): void
}

/**
 * Stops the call when its time is over, or when the ledger has an outcome while the call still
 * runs: then the call was voided. Reads the ledger when the store reports a change, and every
 * VOID_WATCH_MS. Nothing waits for these reads, so the deadline holds even if the store hangs. A
 * call that may run for minutes as a task makes no such reads: the renewals of its lease tell it
 * of its cancellation. Returns the function that ends the watch.
 */
export function watchCall(
  ports: ExecuteNeeds,
  call: Cuttable,
  { alarm, budgetMs, stop }: Watch,
): () => void {
  const key = { uid: call.principal.uid, callId: call.callId }
  const readOutcome = () => {
    const outcome = ports.ledger.find(key).catch(() => undefined)
    void outcome.then((found) => found !== undefined && stop('cancelled'))
  }
  const endListening = ports.changes.listen(`call:${key.callId}`, readOutcome)
  const wait = (leftMs: number): (() => void) => {
    if (leftMs <= VOID_WATCH_MS || call.untilMs !== undefined)
      return alarm(leftMs, () => stop(TIMED_OUT))
    return alarm(VOID_WATCH_MS, () => {
      readOutcome()
      endWaiting = wait(leftMs - VOID_WATCH_MS)
    })
  }
  let endWaiting = wait(budgetMs)
  return () => {
    endListening()
    endWaiting()
  }
}

/**
 * The failure that the caller gets: cancelled, or stopped before or after the upstream was called.
 */
export function toCutFailure(
  why: CutReason,
  { mayHaveSent, budgetMs }: { readonly mayHaveSent: boolean; readonly budgetMs: number },
): CallFailure {
  if (why === 'cancelled') return { code: why, detail: 'The call was cancelled.' }
  const time = `${(budgetMs / 1000).toFixed(1)} s`
  const detail = mayHaveSent
    ? `The upstream did not answer within ${time}, so the call was stopped.`
    : `The call was stopped after ${time}, before its upstream was called.`
  return { code: why, detail }
}
