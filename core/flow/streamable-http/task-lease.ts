/**
 * The lease of a task's worker, renewed while its call runs. Bound by ADR 0110.
 *
 *   create (60 s) ── 30 s ── renew ✔ ── 30 s ── renew ✔ ── end
 *                              └─ no answer of the store: again after 5 s, the call goes on
 *                              └─ refused: the task has ended, so the call stops
 */
import { TASK_LEASE_MS, TASK_RENEW_AGAIN_MS, TASK_RENEW_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'

export type WorkedTask = {
  readonly hash: string
  readonly worker: string
  readonly callId: string
}

/**
 * Calls `over` when the task has ended without its worker. Returns the function that ends the
 * renewals.
 */
export function keepLease(
  { clock, log, tasks }: Pick<Ports, 'clock' | 'log' | 'tasks'>,
  { alarm }: Pick<CallScope, 'alarm'>,
  { callId, hash, worker }: WorkedTask,
  over: () => void,
): () => void {
  let isKept = true
  let disarm = () => {}
  const renew = async () => {
    const aliveUntilMs = clock.nowMs() + TASK_LEASE_MS
    const found = await tasks.renew({ hash, worker, aliveUntilMs }).catch((cause: unknown) => {
      log.note('warn', 'task-not-renewed', { callId }, cause)
      return undefined
    })
    if (!isKept) return
    if (found === 'cancelled' || found === 'over') over()
    // A worker that lost its task to another one ends without a move of money, whatever it does
    // until then.
    else if (found !== 'taken') wait(found === 'own' ? TASK_RENEW_MS : TASK_RENEW_AGAIN_MS)
  }
  const wait = (ms: number) => {
    disarm = alarm(ms, () => void renew())
  }
  wait(TASK_RENEW_MS)
  return () => {
    isKept = false
    disarm()
  }
}
