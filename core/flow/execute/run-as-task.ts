/**
 * The parts of a call that may go on as a task. The head of the task decides, and the ledger follows it, so that
 * no call is both cancelled and charged. Bound by ADR 0110.
 *
 *   kept     the task's head says `completed` ─▶ outcome settled ─▶ release
 *   lost     the task was cancelled, or found dead ─▶ outcome refunded ─▶ release
 *   direct   nobody was told of a task: the call ends as every call, behind its answer
 * Dies between head and outcome: the hold is stale after its deadline, and the call was free.
 */
import { TASK_TTL_MS } from '../../mcp/task.ts'
import type { StartedJob } from '../../ports/jobs.ts'
import type { Step } from '../../ports/sessions.ts'
import type { TaskTaker } from '../../ports/tasks.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { EndedCall, ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import type { HeldCall } from './reserve-call.ts'
import type { ReadyCall } from './validate-call.ts'
import { voidCall } from './void-call.ts'

export function beginTask(
  { task }: Pick<ExecuteRequest, 'task'>,
  { callId, principal, skill, startedAtMs, untilMs }: ReadyCall,
): void {
  if (untilMs === undefined) return
  const { keyHash, uid } = principal
  const begun = { callId, keyHash, uid, untilMs }
  if (skill.task?.job === undefined) task?.begin(begun)
  // The result of a job that takes hours is kept for a day after the latest end.
  else task?.begin({ ...begun, job: true, ttlMs: untilMs - startedAtMs + TASK_TTL_MS })
}

/**
 * Hands a job that the upstream has begun to its task, whose hold stands until the job's deadline.
 *
 *   head `working` ─▶ job ─▶ this process is done     tasks/get, or the sweep, ends the task (look-after-job.ts)
 *   not stored ─▶ refunded ─▶ the upstream is told to stop
 * Dies before the job is stored: the task fails when it is read, and the hold ends with its deadline.
 * Returns the steps behind the answer.
 */
export async function handOverJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  task: TaskTaker,
  of: { readonly reservation: HeldCall; readonly begun: StartedJob },
): Promise<readonly Step[]> {
  const { begun, reservation } = of
  if (await task.handOver(begun)) return []
  const { callId, uid, values } = begun
  await voidCall(ports, { uid, callId, reason: 'void' }).catch((cause: unknown) => {
    ports.log.note('error', 'refund-delayed', { callId, uid }, cause)
  })
  const { stopUpstream } = await import('./reach-job.ts')
  return [() => stopUpstream(ports, upstreams, reservation.call, values)]
}

/** True if the call has ended in the ledger, too. Never throws. */
export async function endTask(
  ports: ExecuteNeeds,
  task: TaskTaker,
  { callId, principal: { uid } }: ReadyCall,
  { answer, settle }: EndedCall,
): Promise<boolean> {
  const ended = await task.end(answer)
  if (ended === 'direct') return false
  // A failure is refunded already.
  if (settle === undefined) return true
  if (ended === 'kept') {
    await settle()
    return true
  }
  await voidCall(ports, { uid, callId, reason: 'cancelled' }).catch((cause: unknown) => {
    // The sweep gives the hold back after its deadline.
    ports.log.note('error', 'refund-delayed', { callId, uid }, cause)
  })
  return true
}
