/**
 * The parts of a call that may go on as a task. The head of the task decides, and the ledger follows it, so that
 * no call is both cancelled and charged. Bound by ADR 0110.
 *
 *   kept     the task's head says `completed` ─▶ outcome settled ─▶ release
 *   cancelled, lost, unkept     it was cancelled, found dead, or not stored ─▶ outcome refunded ─▶ release
 *   taken    another worker has the task ─▶ nothing: the hold is that worker's
 *   direct   nobody was told of a task: the call ends as every call, behind its answer
 * Dies between head and outcome: the hold is stale after its deadline, and the call was free.
 */
import type { TaskTaker } from '../../ports/tasks.ts'
import type { EndedCall, ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { isTakenBack, type KeyedCall, keepTask } from './idempotent-call.ts'
import type { ReadyCall } from './validate-call.ts'
import { voidCall } from './void-call.ts'

export function beginTask(
  ports: ExecuteNeeds,
  { task }: Pick<ExecuteRequest, 'task'>,
  { callId, principal, record, untilMs }: ReadyCall,
  keyed: KeyedCall | undefined,
): void {
  if (untilMs === undefined) return
  const { keyHash, uid } = principal
  const { skillId, source } = record
  const keep = keyed && ((taskId: string) => keepTask(ports, keyed, { taskId, skillId, source }))
  task?.begin({ callId, keyHash, uid, untilMs, keep })
}

/**
 * True if the call has ended in the ledger, too. `keep` keeps its answer under its Idempotency-Key, between the
 * head and the outcome. Never throws.
 */
export async function endTask(
  ports: ExecuteNeeds,
  task: TaskTaker,
  { callId, principal: { uid } }: ReadyCall,
  { answer, settle }: EndedCall,
  keep: () => Promise<void>,
): Promise<boolean> {
  const ended = await task.end(answer)
  if (ended === 'direct') return false
  if (ended === 'kept' && !isTakenBack(answer)) await keep()
  // A failure is refunded already.
  if (settle === undefined || ended === 'taken') return true
  if (ended === 'kept') {
    await settle()
    return true
  }
  const reason = ended === 'cancelled' ? ended : 'crashed'
  await voidCall(ports, { uid, callId, reason }).catch((cause: unknown) => {
    // The sweep gives the hold back after its deadline.
    ports.log.note('error', 'refund-delayed', { callId, uid }, cause)
  })
  return true
}
